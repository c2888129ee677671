import { randomUUID } from 'node:crypto';
import { createApiKey } from '@atelier/server/domain/accounts/create-api-key.ts';
import { requirePerson } from '@atelier/server/domain/people/manage-people.ts';
import { listMemberships } from '@atelier/server/domain/people/memberships.ts';
import { setOperator } from '@atelier/server/domain/people/operators.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { buildConsole } from '../../packages/console/build-console.ts';
import { call, until } from '../harness/client.ts';
import type { Member } from '../harness/start-stack.ts';
import { signIn, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';
import { computeCode, turnOnCodes } from './turn-on-codes.ts';

const MAREN = { name: 'Maren Holt', email: 'maren@atelier.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;
const MODEL = 'landscape-painter';

let running: RunningConsole;
let desk: Member;
let pages: Awaited<ReturnType<typeof buildConsole>>;

beforeAll(async () => {
  [running, pages] = await Promise.all([startConsole(inject('services')), buildConsole('desk')]);
  desk = await running.stack.start('desk', { DESK_DIR: pages.dir, PUBLIC_URL: running.stack.api().url });
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await pages?.[Symbol.asyncDispose]();
});

const request = { modelId: MODEL, params: { prompt: 'mountains and a lake at sunset' } };
const quote = async (key: string): Promise<Record<string, unknown>> =>
  (await call(running.stack.api().url, 'POST /v1/quotes', { key, json: request })).body;
const submit = async (key: string): Promise<Record<string, unknown>> => {
  const options = { key, json: { ...request, maxCoins: 100 }, headers: { 'idempotency-key': randomUUID() } };
  return (await call(running.stack.api().url, 'POST /v1/generations', options)).body;
};

/** Fills in the reason of the open dialog and confirms it. */
async function confirm(page: Page, { action, reason }: { action: string; reason: string }): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function enter(page: Page, key: string): Promise<void> {
  await page.goto(`${desk.url}/`);
  await signIn(page, MAREN);
  await page.getByLabel('Code').fill(computeCode(key));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

test('an operator signs in, grants coins, changes a price after the comparison and closes a model', async () => {
  const { db } = running.stack;
  const context = await running.browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(SLOW_MS);
  const page = await context.newPage();
  await signUp(running, page, MAREN);
  const codes = await turnOnCodes(page, MAREN);

  // The session of the console opens nothing here, and neither does the password before the person is an operator.
  await page.goto(`${desk.url}/accounts`);
  await signIn(page, MAREN);
  await page.getByText('Wrong mail address or password').waitFor();
  const personId = await requirePerson({ db }, MAREN.email);
  await setOperator({ db }, { personId, operator: true, actor: 'test' });
  await enter(page, codes);

  const [pair] = await listMemberships({ db }, personId);
  const { live, test: testId } = pair!.accountIds;
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByLabel('Id, mail address or name').fill(MAREN.email);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Found' }).waitFor();
  await page.getByRole('row', { name: /Live/ }).getByRole('link', { name: MAREN.name }).click();
  await page.getByText(live).waitFor();
  await page.getByRole('button', { name: 'Grant coins' }).click();
  await page.getByRole('dialog').getByLabel('Coins').fill('500');
  await confirm(page, { action: 'Grant coins', reason: 'Invoice 2026-1107' });
  await page.getByText('500 coins granted.').waitFor();

  const { key } = await withTx(db, (tx) =>
    createApiKey(tx, 'c1', { accountId: testId, name: 'e2e', scopes: ['generate', 'read'] }),
  );
  const { coins: before } = (await quote(key)) as { coins: number };
  for (let n = 0; n < 2; n += 1) expect(await submit(key)).toMatchObject({ status: 'queued' });
  await until('both generations succeed', async () => {
    const found = await db.pool.query("SELECT count(*)::int AS n FROM generation WHERE status = 'succeeded'");
    return found.rows[0].n === 2;
  });

  await page.getByRole('link', { name: 'Models and prices' }).click();
  await page.getByLabel('Find a model').fill(MODEL);
  await page.getByRole('link', { name: 'Landscape painter' }).click();
  const base = page.getByLabel('Base price per output');
  await base.fill(String(Number(await base.inputValue()) + 4));
  await page.getByLabel('Of accounts in').selectOption('test');
  const publish = page.getByRole('button', { name: 'Publish this price' });
  expect(await publish.isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText(/^2 generations since/).waitFor();
  await page.getByText('+8 (').waitFor();
  expect((await quote(key)).coins).toBe(before);
  await publish.click();
  await confirm(page, { action: 'Publish this price', reason: 'Vendor raised its price' });
  await page.getByText('This price was published here').waitFor();
  await until('the API quotes the new price', async () => (await quote(key)).coins === before + 4);

  await page.getByRole('button', { name: 'Close model' }).click();
  await confirm(page, { action: 'Close model', reason: 'Output quality' });
  await page.getByRole('button', { name: 'Open model' }).waitFor();
  await until('the API refuses the model', async () => (await submit(key)).code === 'unavailable');

  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('row', { name: /coins\.granted.*Invoice 2026-1107/ }).waitFor();
  await page.getByRole('row', { name: new RegExp(`model\\.price\\.${MODEL}.*Vendor raised its price`) }).waitFor();
  await page.getByRole('row', { name: new RegExp(`model\\.closed\\.${MODEL}.*Output quality`) }).waitFor();
  const audit = await db.pool.query(
    "SELECT action, detail ->> 'reason' AS reason FROM audit_log WHERE actor = $1 ORDER BY id DESC",
    [`person ${personId}`],
  );
  expect(
    audit.rows.some(({ action }) => action === 'desk.read'),
    'reads of customer data are recorded',
  ).toBe(true);
  expect(audit.rows.filter(({ reason }) => reason !== null).slice(0, 3)).toEqual([
    { action: 'setting.changed', reason: 'Output quality' },
    { action: 'setting.changed', reason: 'Vendor raised its price' },
    { action: 'coins.granted', reason: 'Invoice 2026-1107' },
  ]);

  await page.getByRole('link', { name: 'Books' }).click();
  await page.getByText(/^No violation in \d+ invariants$/).waitFor();
  await running.stack.assertBooks();

  // The other listeners know nothing of the desk.
  for (const url of [running.url, running.stack.api().url]) {
    expect((await call(url, 'GET /api/desk/overview')).status).toBe(404);
  }
  await context.close();
});
