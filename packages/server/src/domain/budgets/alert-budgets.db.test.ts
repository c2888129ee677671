import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { deleteBudget, updateBudget } from './budgets.ts';
import { monthOf } from './judge-budget.ts';
import { createBudgetSetup } from './testing/create-budget-setup.ts';

const database = await openTestDatabase({ connections: 30 });
const { db, owner } = database;
const setup = createBudgetSetup(database);
const { path, services } = setup;

afterEach(() => {
  services.state.offsetMs = 0;
});

const percentsOf = async (account: Parameters<typeof setup.mailsOf>[0]) =>
  (await setup.mailsOf(account)).map(({ percent }) => percent);

/** Waits until this many statements wait for a lock. From another connection: a transaction sees one snapshot of the activity. */
async function untilWaiting(count: number): Promise<void> {
  for (;;) {
    const { rows } = await db.pool.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rows[0]!.waiting >= count) return;
    await sleep(10);
  }
}

const lockBudget = 'SELECT id FROM budget WHERE id = $1 FOR UPDATE';

test('a share is reported once, to owners and billing, and to the endpoints that subscribe', async () => {
  const account = await setup.addAccount();
  const [ada, bill] = [await setup.addMember(account, 'owner'), await setup.addMember(account, 'billing')];
  await setup.addMember(account, 'developer');
  await setup.addMember(account, 'viewer');
  await setup.addMember(account, 'billing', { verified: false });
  const of = { accountId: account.accountId, keyId: '' };
  await path.addEndpoint(of);
  const active = await path.addEndpoint(of, { events: ['generation.failed', 'budget.reached'] });
  const paused = await path.addEndpoint(of, { events: ['budget.reached'], status: 'paused' });
  await path.addEndpoint(of, { events: ['budget.reached'], status: 'deleted' });
  const { id: budgetId } = await setup.add(account, { coins: 28 });

  await setup.charge(account, 1);
  await setup.charge(account, 10, 'autumn');
  await setup.charge(account, 10, null);
  expect(await setup.sweep()).toBe(0);
  await setup.charge(account, 1);
  expect(await setup.sweep()).toBe(1);
  const month = monthOf(services.clock.now()).slice(0, 7);
  const facts = { accountId: account.accountId, budgetId, month, percent: 50, coins: 28, spentCoins: 14 };
  expect(await setup.mailsOf(account)).toEqual([ada, bill].sort().map((personId) => ({ ...facts, personId })));
  expect((await setup.deliveriesOf(account)).sort((one, other) => one.status.localeCompare(other.status))).toEqual([
    { endpointId: paused, status: 'held', percent: 50 },
    { endpointId: active, status: 'pending', percent: 50 },
  ]);
  expect(services.state.woken).toEqual(expect.arrayContaining(['mail-budget-alert', 'deliver-webhook']));
  expect(
    await path.read('SELECT id FROM event WHERE account_id = $1 AND type LIKE $2', [account.accountId, 'budget%']),
  ).toEqual([]);

  expect(await setup.sweep()).toBe(0);
  // 80 and 100 percent at once: only the larger share is reported.
  await setup.charge(account, 2);
  expect(await setup.sweep()).toBe(1);
  await setup.charge(account, 5);
  expect(await setup.sweep()).toBe(0);
  expect(await percentsOf(account)).toEqual([50, 50, 100, 100]);
});

test('generations without a project have a budget of their own', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  await setup.add(account, { projectId: null, coins: 7, alertPercents: [100] });
  await setup.charge(account, 3);
  expect(await setup.sweep()).toBe(0);
  await setup.charge(account, 1, null);
  expect(await setup.sweep()).toBe(1);
  expect(await percentsOf(account)).toEqual([100]);
});

test('of many sweeps that find a share at once, one reports it', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  await path.addEndpoint({ accountId: account.accountId, keyId: '' }, { events: ['budget.reached'] });
  const { id } = await setup.add(account, { coins: 10 });
  await setup.charge(account, 1);
  const SWEEPS = 8;
  const sweeps = await holdTransaction(db, async (client) => {
    await client.query(lockBudget, [id]);
    const started = Promise.all(Array.from({ length: SWEEPS }, () => setup.sweep()));
    await untilWaiting(SWEEPS);
    return { started };
  });
  const sent = await sweeps.started;
  expect(sent.reduce((sum, each) => sum + each, 0)).toBe(1);
  expect(await percentsOf(account)).toEqual([50]);
  expect(await setup.deliveriesOf(account)).toHaveLength(1);
});

test('an alert that could not be recorded completely is not recorded at all, and sent by a later sweep', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  await path.addEndpoint({ accountId: account.accountId, keyId: '' }, { events: ['budget.reached'] });
  const other = await setup.addAccount();
  await setup.addMember(other, 'owner');
  for (const each of [account, other]) {
    await setup.add(each, { coins: 7, alertPercents: [100] });
    await setup.charge(each, 1);
  }
  await owner.pool.query('ALTER TABLE delivery ADD CONSTRAINT no_notice CHECK (notice IS NULL) NOT VALID');
  try {
    expect(await setup.sweep(), 'the other account does not wait for it').toBe(1);
    expect([await percentsOf(account), await percentsOf(other)]).toEqual([[], [100]]);
  } finally {
    await owner.pool.query('ALTER TABLE delivery DROP CONSTRAINT no_notice');
  }
  expect(await setup.sweep()).toBe(1);
  expect(await percentsOf(account)).toEqual([100]);
  expect(await setup.deliveriesOf(account)).toHaveLength(1);
});

test('a process that ends between an alert and its mark sends nothing twice', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  const { id } = await setup.add(account, { coins: 7, alertPercents: [100] });
  await setup.charge(account, 1);
  expect(await setup.sweep()).toBe(1);
  await owner.pool.query('UPDATE budget SET checked_transfer_id = 0 WHERE id = $1', [id]);
  expect(await setup.sweep()).toBe(0);
  expect(await percentsOf(account)).toEqual([100]);
});

test('each month begins again, and the last charges of a month are reported on the next day', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  const { id } = await setup.add(account, { coins: 20, alertPercents: [50, 100] });
  const now = new Date();
  const thisMonth = monthOf(now).slice(0, 7);
  const dayOfNextMonth = (day: number) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, day, 0, 30) - now.getTime();
  await setup.charge(account, 2);
  expect(await setup.sweep()).toBe(1);

  services.state.offsetMs = dayOfNextMonth(1);
  await setup.charge(account, 1);
  expect(await setup.sweep()).toBe(1);
  expect((await setup.mailsOf(account)).map(({ month, percent }) => [month, percent])).toEqual([
    [thisMonth, 50],
    [thisMonth, 100],
  ]);

  // The charges of these tests are of this month, so the usage is moved.
  services.state.offsetMs = dayOfNextMonth(3);
  const nextMonth = monthOf(services.clock.now());
  await setup.charge(account, 1);
  expect(await setup.sweep(), 'nothing was charged in the new month').toBe(0);
  await path.read('UPDATE usage_day SET day = $2 WHERE account_id = $1', [account.accountId, nextMonth]);
  await path.read('UPDATE budget SET checked_transfer_id = 0 WHERE id = $1', [id]);
  expect(await setup.sweep()).toBe(1);
  expect((await setup.mailsOf(account)).map(({ month }) => month)).toEqual([
    thisMonth,
    thisMonth,
    nextMonth.slice(0, 7),
  ]);
});

test('a budget that is changed during a sweep is compared with its new coins', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  const { id: budgetId } = await setup.add(account, { coins: 7, alertPercents: [100] });
  await setup.charge(account, 2);
  const sweep = await holdTransaction(db, async (client) => {
    await client.query(lockBudget, [budgetId]);
    const started = setup.sweep();
    await untilWaiting(1);
    await client.query(
      'UPDATE budget SET coins = 14, checked_transfer_id = 0, changed_at = clock_timestamp() WHERE id = $1',
      [budgetId],
    );
    await client.query('COMMIT');
    return { started };
  });
  expect(await sweep.started).toBe(0);
  expect(await percentsOf(account)).toEqual([]);
  expect(await setup.sweep()).toBe(1);
  expect(await setup.mailsOf(account)).toMatchObject([{ coins: 14, spentCoins: 14, percent: 100 }]);
  // A change reports again what is reached.
  await updateBudget(services, { accountId: account.accountId, budgetId, coins: 10, actor: 'test' });
  expect(await setup.sweep()).toBe(1);
  expect(await setup.mailsOf(account)).toHaveLength(2);
});

test('a budget that is deleted during a sweep reports nothing', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  const { id: budgetId } = await setup.add(account, { coins: 7, alertPercents: [100] });
  await setup.charge(account, 1);
  const sweep = await holdTransaction(db, async (client) => {
    await client.query(lockBudget, [budgetId]);
    const started = setup.sweep();
    await untilWaiting(1);
    await client.query('DELETE FROM budget WHERE id = $1', [budgetId]);
    await client.query('COMMIT');
    return { started };
  });
  expect(await sweep.started).toBe(0);
  expect(await percentsOf(account)).toEqual([]);
  const removal = { accountId: account.accountId, budgetId, actor: 'test' };
  await expect(deleteBudget(services, removal)).rejects.toMatchObject({ code: 'not_found' });
});

test('a sweep waits for no submit, and delays no settlement', async () => {
  const account = await setup.addAccount();
  await setup.addMember(account, 'owner');
  const { id } = await setup.add(account, { coins: 7, alertPercents: [100] });
  await setup.charge(account, 1);
  await holdTransaction(db, async (client) => {
    await client.query('SELECT id FROM account WHERE id = $1 FOR UPDATE', [account.accountId]);
    expect(await setup.sweep()).toBe(1);
  });
  await holdTransaction(db, async (client) => {
    await client.query(lockBudget, [id]);
    await setup.charge(account, 1);
  });
});
