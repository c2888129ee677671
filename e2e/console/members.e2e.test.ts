import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { runCli, startCli } from '../cli/run-cli.ts';
import { makeFolder } from '../files/make-file.ts';
import { until } from '../harness/client.ts';
import { signIn, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';

const OWNER = { name: 'Amara Voss', email: 'amara@harbour.example', password: 'correct horse battery staple' };
const GUEST = { name: 'Tomás Rivera', email: 'tomas@harbour.example', password: 'purple monkey dishwasher tree' };
const ACCOUNT = 'Harbour Press';
const SLOW_MS = 60_000;

let running: RunningConsole;

beforeAll(async () => {
  running = await startConsole(inject('services'));
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
});

async function openPage(): Promise<Page> {
  const context = await running.browser.newContext({ locale: 'en-GB', acceptDownloads: true });
  context.setDefaultTimeout(SLOW_MS);
  return context.newPage();
}

async function invite(page: Page, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Mail address').fill(GUEST.email);
  await dialog.getByLabel('Role').selectOption({ label: role });
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByRole('button', { name: `Withdraw the invitation of ${GUEST.email}` }).waitFor();
  return readInvitation();
}

let lastLink = '';

/** The link of the newest invitation. The mail is sent after the response, so an older one may still be the last. */
async function readInvitation(): Promise<string> {
  let link = '';
  await until('the mail with the invitation', async () => {
    link = await running.readMailLink(GUEST.email);
    return link.includes('invitation=') && link !== lastLink;
  });
  lastLink = link;
  return link;
}

test('an owner invites a person who has an account, who signs in, joins, and is removed', async () => {
  const owner = await openPage();
  await signUp(running, owner, OWNER);
  await owner.getByRole('link', { name: 'Settings' }).click();
  await owner.getByRole('textbox', { name: 'Name' }).fill(ACCOUNT);
  await owner.getByRole('button', { name: 'Save changes' }).click();
  await owner.getByRole('button', { name: ACCOUNT }).waitFor();

  // The guest has an account of their own, and is signed out.
  const guest = await openPage();
  await signUp(running, guest, GUEST);
  await guest.context().clearCookies();

  await owner.getByRole('link', { name: 'Members' }).click();
  await guest.goto(await invite(owner, 'Viewer'));
  await guest.getByRole('link', { name: 'Sign in' }).click();
  await signIn(guest, GUEST);
  await guest.getByText(`You are signed in as ${GUEST.email}`).waitFor();
  await guest.getByRole('button', { name: 'Accept invitation' }).click();
  await guest.getByRole('button', { name: ACCOUNT }).waitFor();
  // A viewer cannot create keys, and does not see invitations.
  await guest.getByRole('heading', { name: 'API keys' }).waitFor();
  expect(await guest.getByRole('button', { name: 'Create key' }).count()).toBe(0);
  await guest.getByRole('link', { name: 'Members' }).click();
  await guest.getByText('Owners invite people').waitFor();

  await owner.reload();
  await owner.getByRole('button', { name: `Actions for ${GUEST.name}` }).click();
  await owner.getByRole('button', { name: 'Change role' }).last().click();
  await owner.getByRole('dialog').getByLabel('Role').selectOption({ label: 'Developer' });
  await owner.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
  await owner.getByText(`${GUEST.name} is now Developer`).waitFor();
  await owner.getByRole('button', { name: `Actions for ${GUEST.name}` }).click();
  await owner.getByRole('button', { name: 'Remove' }).last().click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await owner.getByText(`${GUEST.name} was removed`).waitFor();

  // A signed-in person who opens the link accepts without another sign-in.
  await guest.goto(await invite(owner, 'Billing'));
  await guest.getByRole('button', { name: 'Accept invitation' }).click();
  await guest.getByRole('button', { name: ACCOUNT }).waitFor();

  // The ledger of the test account has its first coins, on the page and in the file.
  await guest.getByRole('radio', { name: 'Test' }).check();
  await guest.getByText('Test mode').waitFor();
  await guest.getByRole('link', { name: 'Ledger' }).click();
  await guest.getByRole('cell', { name: '+1,000' }).waitFor();
  const [download] = await Promise.all([
    guest.waitForEvent('download'),
    guest.getByRole('link', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^ledger-[\d-]{10}\.csv$/);
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^id,createdAt,kind,.*\r\n\d+,[^,]+,grant,1000,0,/);
  await guest.getByRole('link', { name: 'Usage' }).click();
  await guest.getByText('Nothing was charged in this period').waitFor();
});

test('the command line logs in with a code that an owner confirms', async () => {
  const folder = await makeFolder();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => folder.remove());
  const env = { HOME: folder.dir, XDG_CONFIG_HOME: join(folder.dir, 'config') };
  const page = await openPage();
  await page.goto(`${running.url}/pair`);
  await signIn(page, OWNER);
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor();

  const start = async () => {
    const cli = startCli(['login', '--console', running.url, '--name', 'My terminal', '--monthly-cap', '50'], { env });
    cleanUp.defer(() => void cli.child.kill());
    await until('the code is printed', async () => /the code [B-Z-]{9}/.test(cli.stderr()));
    expect(cli.stderr()).toContain(`Open ${running.url}/pair`);
    await page.getByLabel('Code').fill(/the code ([B-Z-]{9})/.exec(cli.stderr())![1]!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('My terminal').waitFor();
    return cli;
  };
  const denied = await start();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByRole('heading', { name: 'Denied' }).waitFor();
  expect(await denied.ended).toMatchObject({ code: 3, stdout: '' });

  await page.goto(`${running.url}/pair`);
  const approved = await start();
  await page.getByLabel('Account').selectOption({ label: `${ACCOUNT} · Test` });
  await page.getByLabel('Monthly cap').fill('40');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('heading', { name: 'Approved' }).waitFor();
  expect(await approved.ended).toMatchObject({ code: 0 });
  const file = join(folder.dir, 'config/atelier/config.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const stored = JSON.parse(await readFile(file, 'utf8')) as { apiKey: string };
  for (const text of [(await approved.ended).stdout, approved.stderr()]) expect(text).not.toContain(stored.apiKey);
  const account = (await runCli(['account', '--json'], { env })).json();
  expect(account).toMatchObject({
    key: { name: 'My terminal', monthlySpendCapCoins: 40 },
    balance: { available: 1000 },
  });
});
