import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startMailServer } from '@atelier/server/platform/testing/start-mail-server.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { until } from '../harness/client.ts';
import { openBrowser } from '../harness/open-browser.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
const PASSWORD = 'correct horse battery';
let stack: Stack;
let console_: Member;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;

beforeAll(async () => {
  mailServer = await startMailServer();
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
  const settings = { SIGN_UP: 'open', SMTP_URL: mailServer.url, MAIL_FROM: 'Atelier <console@example.com>' };
  console_ = await stack.start('console', { ...settings, LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await stack?.stop();
  await mailServer?.stop();
});

/** The link in the last mail to an address, as its reader sees it. */
const waitForLink = (email: string): Promise<URL> =>
  until(`a mail to ${email}`, async () => {
    const mail = mailServer.received.findLast(({ to }) => to.includes(email));
    const [plain] = mail?.data.split('text/html') ?? [];
    const link = plain
      ?.replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=')
      .match(/https?:\S+/)?.[0];
    return link !== undefined && new URL(link);
  });

test('a new person signs up over HTTP, opens the link of the mail, and is signed in with a pair of accounts', async () => {
  const email = 'new.person@example.com';
  const browser = openBrowser(console_.url);
  const signUp = await browser.post('/api/auth/sign-up/email', { name: 'New Person', email, password: PASSWORD });
  expect(signUp.status, signUp.text).toBe(200);
  const link = await waitForLink(email);
  expect(link.origin).toBe(console_.url);
  const opened = await browser.follow(`${link.pathname}${link.search}`);
  expect(opened.status).toBe(302);
  expect(opened.headers.location).toBe('/verified');
  const signIn = await browser.post('/api/auth/sign-in/email', { email, password: PASSWORD });
  expect(signIn.status, signIn.text).toBe(200);
  const session = await browser.get('/api/session');
  expect(session.body).toMatchObject({ person: { email, name: 'New Person' }, memberships: [{ role: 'owner' }] });

  const token = browser.cookies.get('sid')?.split('.')[0] as string;
  expect(token.length).toBeGreaterThanOrEqual(32);
  const logs = console_.logs.join('');
  for (const secret of [token, PASSWORD, email, link.searchParams.get('token') as string]) {
    expect(logs).not.toContain(secret);
  }
  const { rows } = await stack.db.pool.query('SELECT count(*)::int AS n FROM person_session s WHERE s::text LIKE $1', [
    `%${token}%`,
  ]);
  expect(rows).toEqual([{ n: 0 }]);
});

test('a forgotten password is replaced with the link of the mail', async () => {
  const email = 'forgetful@example.com';
  await runMain('people', 'create', '--email', email);
  const browser = openBrowser(console_.url);
  expect((await browser.post('/api/auth/request-password-reset', { email })).status).toBe(200);
  const link = await waitForLink(email);
  expect(link.pathname).toBe('/reset-password');
  const token = link.searchParams.get('token');
  expect((await browser.post('/api/auth/reset-password', { token, newPassword: PASSWORD })).status).toBe(200);
  expect((await browser.post('/api/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
});

test('a person that a command invites signs up with the link and belongs to the account', async () => {
  const { accountId } = await runMain('people', 'create', '--email', 'inviter@example.com');
  const email = 'guest@example.com';
  await runMain('people', 'invite', '--account', accountId as string, '--email', email, '--role', 'viewer');
  const link = await waitForLink(email);
  expect(link.pathname).toBe('/sign-up');
  const invitation = link.searchParams.get('invitation');
  const browser = openBrowser(console_.url);
  const body = { name: 'Guest', email, password: PASSWORD, invitation };
  expect((await browser.post('/api/auth/sign-up/email', body)).status).toBe(200);
  expect((await browser.post('/api/auth/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  const { body: session } = await browser.get('/api/session');
  expect(session.memberships).toMatchObject([{ role: 'viewer', accountIds: { live: accountId } }]);
  const refused = await browser.post(`/api/accounts/${accountId}/keys`, { name: 'x', scopes: ['read'] });
  expect(refused).toMatchObject({ status: 403, body: { code: 'role_required' } });
});

/** A command of the operator, as a process. */
async function runMain(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args, '--json'], {
    env: { ...stack.env, CONSOLE_URL: console_.url, SMTP_URL: mailServer.url },
    timeout: 60_000,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}
