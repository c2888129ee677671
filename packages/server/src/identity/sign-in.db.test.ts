import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { listMemberships } from '../domain/people/memberships.ts';
import { hashToken } from './hash-session-tokens.ts';
import { CONSOLE_URL, createTestIdentity, PASSWORD } from './testing/create-test-identity.ts';

const { db, owner } = await openTestDatabase();
const { identity, services, mails, openBrowser, waitForLink, addPerson } = await createTestIdentity(db);

const COOKIE = '__Host-sid';
const tokenOf = (cookie: string) => decodeURIComponent(cookie).split('.')[0] as string;

/** Every text in the database, of every table. */
async function dumpDatabase(): Promise<string> {
  const { rows: tables } = await owner.pool.query(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.pool.query(`SELECT coalesce(string_agg(t::text, E'\\n'), '') AS text FROM ${name} t`);
    parts.push(rows[0].text);
  }
  return parts.join('\n');
}

test('a person signs up, confirms the address, signs in and out, and gets a pair of accounts', async () => {
  const browser = openBrowser();
  const email = 'ada@example.com';
  const signUp = await browser.post('/sign-up/email', { name: 'Ada', email: 'Ada@Example.com', password: PASSWORD });
  expect(signUp).toMatchObject({ status: 200, body: { token: null, user: { email, emailVerified: false } } });
  expect([...browser.cookies.keys()]).toEqual(['__Host-atelier-sign-up']);

  const early = await browser.post('/sign-in/email', { email, password: PASSWORD });
  expect(early).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });

  const link = await waitForLink(email);
  expect(link.origin).toBe(CONSOLE_URL);
  const verified = await browser.get(`${link.pathname.slice('/api/auth'.length)}${link.search}`);
  expect(verified.status).toBe(302);
  expect(verified.headers.get('location')).toBe('/verified');

  const signIn = await browser.post('/sign-in/email', { email, password: PASSWORD });
  expect(signIn).toMatchObject({ status: 200, body: { token: null, user: { email, name: 'Ada' } } });
  const signedIn = await identity.readSession(browser.headers());
  expect(signedIn).toMatchObject({ email, name: 'Ada', signedInAt: expect.any(Date) });
  const memberships = await listMemberships(services, signedIn!.personId);
  expect(memberships).toMatchObject([{ name: 'Ada', role: 'owner' }]);

  const cookies = browser.headers();
  await browser.post('/sign-out');
  expect(browser.cookies.has(COOKIE)).toBe(false);
  expect(await identity.readSession(cookies)).toBeNull();
});

test('the session cookie belongs to this host, is hidden from scripts, and is not sent by other sites', async () => {
  const { signIn } = await addPerson();
  const line = (await signIn()).headers.getSetCookie().find((each) => each.startsWith(`${COOKIE}=`));
  expect(line).toMatch(/; Path=\//i);
  expect(line).toMatch(/; HttpOnly/i);
  expect(line).toMatch(/; Secure/i);
  expect(line).toMatch(/; SameSite=Lax/i);
  expect(line).not.toMatch(/domain/i);
  expect(line).toMatch(/max-age=604800/i);
});

test('over plain http the cookie has another name, because browsers refuse __Host- there', async () => {
  const plain = await createTestIdentity(db, { consoleUrl: 'http://localhost:8083' });
  const person = await plain.identity.createPerson({ email: 'plain@example.com', name: 'Plain', password: PASSWORD });
  expect(person).not.toBeNull();
  const browser = plain.openBrowser();
  const answer = await browser.post('/sign-in/email', { email: 'plain@example.com', password: PASSWORD });
  expect(answer.headers.getSetCookie().join()).not.toMatch(/secure|__Host/i);
  expect(browser.cookies.has('sid')).toBe(true);
  expect(await plain.identity.readSession(browser.headers())).toMatchObject({ email: 'plain@example.com' });
});

test('a session token is new at every sign-in, and one that a client brings along is not used', async () => {
  const { browser, signIn } = await addPerson();
  browser.cookies.set(COOKIE, 'planted.token');
  await signIn();
  const first = browser.cookies.get(COOKIE) as string;
  expect(first).not.toContain('planted');
  await signIn();
  expect(browser.cookies.get(COOKIE)).not.toBe(first);
});

test('the database holds the hash of a session token, and nothing that a client could send', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  await browser.post('/request-password-reset', { email });
  await expect.poll(() => mails.filter(({ to }) => to === email).length).toBe(2);
  const reset = (await waitForLink(email)).searchParams.get('token') as string;
  const token = tokenOf(browser.cookies.get(COOKIE) as string);
  const dump = await dumpDatabase();
  expect(dump).toContain(hashToken(token));
  expect(dump).not.toContain(token);
  expect(dump).not.toContain(reset);
  expect(dump).not.toContain(PASSWORD);
  expect(dump).toMatch(/scrypt\$10\$8\$1\$/);
});

test('no answer repeats the session token', async () => {
  const { browser, signIn } = await addPerson();
  const answers = [await signIn(), await browser.get('/get-session'), await browser.get('/list-sessions')];
  const token = tokenOf(browser.cookies.get(COOKIE) as string);
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(text).not.toContain(token);
  }
});

test('a session ends after 12 hours without a request, and requests extend it to at most 7 days', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const { sessionId } = (await identity.readSession(browser.headers()))!;
  const change = (sql: string) => owner.pool.query(`UPDATE person_session SET ${sql} WHERE id = $1`, [sessionId]);
  const hoursLeft = async () =>
    (
      await owner.pool.query(
        'SELECT round(extract(epoch FROM expires_at - now()) / 3600)::int AS h FROM person_session WHERE id = $1',
        [sessionId],
      )
    ).rows[0].h;
  expect(await hoursLeft()).toBe(12);

  await change(`updated_at = now() - interval '5 hours', expires_at = now() + interval '7 hours'`);
  expect(await identity.readSession(browser.headers())).not.toBeNull();
  expect(await hoursLeft()).toBe(12);

  await change(
    `created_at = now() - interval '165 hours', updated_at = now() - interval '1 hour', expires_at = now()  + interval '1 hour'`,
  );
  expect(await identity.readSession(browser.headers())).not.toBeNull();
  expect(await hoursLeft()).toBe(3);
  await expect(change(`expires_at = created_at + interval '8 days'`)).rejects.toThrow('person_session_absolute_end');

  await change(`expires_at = now() - interval '1 second'`);
  expect(await identity.readSession(browser.headers())).toBeNull();
});

test('a cookie with a changed signature or token is refused', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const cookie = browser.cookies.get(COOKIE) as string;
  for (const changed of [cookie.slice(0, -3), `x${cookie}`, tokenOf(cookie), '']) {
    browser.cookies.set(COOKIE, changed);
    expect(await identity.readSession(browser.headers())).toBeNull();
  }
});

test('a password is reset once, by mail, and every session of the person ends', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  await browser.post('/request-password-reset', { email });
  await expect.poll(() => mails.filter(({ to }) => to === email).length).toBe(2);
  const link = await waitForLink(email);
  expect(`${link.origin}${link.pathname}`).toBe(`${CONSOLE_URL}/reset-password`);
  const token = link.searchParams.get('token');
  const short = await browser.post('/reset-password', { token, newPassword: 'short' });
  expect(short).toMatchObject({ status: 400, body: { code: 'PASSWORD_TOO_SHORT' } });
  const newPassword = 'another horse battery';
  expect((await browser.post('/reset-password', { token, newPassword })).status).toBe(200);
  expect(await identity.readSession(browser.headers())).toBeNull();
  const again = await browser.post('/reset-password', { token, newPassword: PASSWORD });
  expect(again).toMatchObject({ status: 400, body: { code: 'INVALID_TOKEN' } });
  expect((await signIn()).status).toBe(401);
  expect((await browser.post('/sign-in/email', { email, password: newPassword })).status).toBe(200);
});

test('a changed password ends the other sessions', async () => {
  const { email, browser, signIn } = await addPerson();
  const other = openBrowser('203.0.113.77');
  await other.post('/sign-in/email', { email, password: PASSWORD });
  await signIn();
  const body = { currentPassword: PASSWORD, newPassword: 'another horse battery', revokeOtherSessions: false };
  expect((await browser.post('/change-password', body)).status).toBe(200);
  expect(await identity.readSession(other.headers())).toBeNull();
  expect(await identity.readSession(browser.headers())).not.toBeNull();
});

test('a person lists their sessions, ends one by its id, and the others together', async () => {
  const { email, browser, signIn } = await addPerson();
  const others = [openBrowser('203.0.113.1'), openBrowser('203.0.113.2')];
  for (const other of others) await other.post('/sign-in/email', { email, password: PASSWORD });
  await signIn();
  const { body: sessions } = await browser.get('/list-sessions');
  expect(sessions).toHaveLength(3);
  const current = (await identity.readSession(browser.headers()))!.sessionId;
  expect(sessions.filter((each: { isCurrent: boolean }) => each.isCurrent)).toMatchObject([{ id: current }]);

  const stranger = await addPerson();
  await stranger.signIn();
  expect((await stranger.browser.post('/revoke-session', { id: current })).status).toBe(404);

  const { sessionId } = (await identity.readSession(others[0]!.headers()))!;
  expect((await browser.post('/revoke-session', { id: sessionId })).status).toBe(200);
  expect(await identity.readSession(others[0]!.headers())).toBeNull();
  expect((await browser.post('/revoke-other-sessions')).status).toBe(200);
  expect(await identity.readSession(others[1]!.headers())).toBeNull();
  expect(await identity.readSession(browser.headers())).not.toBeNull();
});
