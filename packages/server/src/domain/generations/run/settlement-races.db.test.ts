import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import { type Tx, withStatementTx } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount, settlementOf } from '../testing/create-money-path.ts';
import { type RunRow, type Settlement, settleRow, settleRows, takeRows } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
/** Long enough for a step to wait for a lock before the next one starts. */
const QUEUE_ORDER_MS = 200;

// The short lock timeout of a batch would end a deadlock before it is detected.
beforeAll(async () => {
  await owner.pool.query(`ALTER FUNCTION settle_generations SET lock_timeout = '20s'`);
});

/** Without the retries of a transaction, so that a deadlock fails the test. */
const once = { query: db.query } as Tx;
const settleMany = async (settlements: readonly Settlement[]) => (await settleRows(once, settlements)).settled;
const settleOne = async (settlement: Settlement) =>
  (await settleRow(once, { ...settlement, error: 'internal', assets: [] })).outcome;
const take = async (ids: readonly string[]) => (await takeRows(once, { ids, worker: 'other', models: [] })).length;

async function takeRuns(account: PathAccount, count: number): Promise<RunRow[]> {
  const runs: RunRow[] = [];
  for (let n = 0; n < count; n += 1) runs.push((await path.take(await path.begin(account)))!);
  return runs;
}

/** Holds a lock while the steps start, one after another. Each waits until the lock is released or another step ends. */
async function startBehind<T>(lock: { sql: string; id: string }, steps: ReadonlyArray<() => Promise<T>>): Promise<T[]> {
  const started: Promise<T>[] = [];
  await holdTransaction(owner, async (client) => {
    await client.query(lock.sql, [lock.id]);
    for (const step of steps) {
      const call = step();
      call.catch(() => {});
      started.push(call);
      await sleep(QUEUE_ORDER_MS);
    }
  });
  return Promise.all(started);
}
const LOCK_ACCOUNT = 'SELECT 1 FROM account WHERE id = $1 FOR UPDATE';
const LOCK_GENERATION = 'SELECT 1 FROM generation WHERE id = $1 FOR NO KEY UPDATE';

describe('lock order', () => {
  test('of two batches with the same accounts in opposite order', async () => {
    const accounts = [await path.makeAccount({ runLimit: 2 }), await path.makeAccount({ runLimit: 2 })];
    const [low, high] = accounts.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const [lowRuns, highRuns] = [await takeRuns(low!, 2), await takeRuns(high!, 2)];
    const batches = [
      [lowRuns[0]!, highRuns[0]!],
      [highRuns[1]!, lowRuns[1]!],
    ].map((runs) => runs.map((run) => settlementOf(run)));
    const settled = await startBehind(
      { sql: LOCK_ACCOUNT, id: low!.accountId },
      batches.map((batch) => () => settleMany(batch)),
    );
    expect(settled.map((ids) => ids.length)).toEqual([2, 2]);
  });

  test('of a batch and a take with the same accounts in opposite order', async () => {
    const accounts = [await path.makeAccount({ runLimit: 2 }), await path.makeAccount({ runLimit: 2 })];
    const [low, high] = accounts.sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
    const runs = [...(await takeRuns(low!, 1)), ...(await takeRuns(high!, 1))];
    const queued = [await path.begin(high!), await path.begin(low!)];
    const steps: (() => Promise<unknown>)[] = [
      () => settleMany(runs.map((run) => settlementOf(run))),
      () => take(queued),
    ];
    const [settled, taken] = await startBehind({ sql: LOCK_ACCOUNT, id: low!.accountId }, steps);
    expect([settled, taken]).toEqual([expect.arrayContaining(runs.map(({ id }) => id)), 2]);
  });

  test.each(['ascending', 'descending'])('of a take and a batch of the same generations, %s', async (order) => {
    const account = await path.makeAccount({ runLimit: 2 });
    const runs = (await takeRuns(account, 2)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const [low] = runs;
    const given = order === 'ascending' ? runs : [...runs].reverse();
    const steps: (() => Promise<unknown>)[] = [
      () => take(given.map(({ id }) => id)),
      () => settleMany(given.map((run) => settlementOf(run))),
    ];
    expect(await startBehind({ sql: LOCK_GENERATION, id: low!.id }, steps)).toEqual([2, []]);
    const ended = await settleMany(runs.map(({ id, attempt }) => settlementOf({ id, attempt: attempt + 1 })));
    expect(ended).toHaveLength(2);
  });

  test('of a batch and a take that starts later', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const runs = (await takeRuns(account, 2)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const steps: (() => Promise<unknown>)[] = [
      () => settleMany(runs.map((run) => settlementOf(run))),
      () => take(runs.map(({ id }) => id).reverse()),
    ];
    const [settled, taken] = await startBehind({ sql: LOCK_GENERATION, id: runs[0]!.id }, steps);
    expect([settled, taken]).toEqual([expect.arrayContaining(runs.map(({ id }) => id)), 0]);
  });

  test('of a single settlement and a batch of the same generation', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const [shared, other] = await takeRuns(account, 2);
    const steps: (() => Promise<unknown>)[] = [
      () => settleOne(settlementOf(shared!)),
      () => settleMany([settlementOf(shared!), settlementOf(other!)]),
    ];
    const answers = await startBehind({ sql: LOCK_ACCOUNT, id: account.accountId }, steps);
    expect(answers).toEqual(['settled', [other!.id]]);
  });
});

test('two concurrent batches of one account promote as many as they free', async () => {
  const account = await path.makeAccount({ runLimit: 4 });
  const runs = await takeRuns(account, 4);
  for (let n = 0; n < 6; n += 1) await path.begin(account);
  const batches = [runs.slice(0, 2), runs.slice(2)].map((some) => some.map((run) => settlementOf(run)));
  await startBehind(
    { sql: LOCK_ACCOUNT, id: account.accountId },
    batches.map((batch) => () => settleMany(batch)),
  );
  expect(await path.accountOf(account)).toMatchObject({ slots: 4 });
  expect(await path.jobsOf(account)).toHaveLength(8);
});

test('batches against takes, cancels, submits and single settlements: no deadlock, and every coin is accounted for', async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => path.makeAccount({ runLimit: 4 })));
  for (const account of accounts) for (let n = 0; n < 4; n += 1) await path.begin(account);
  const liveIds = async (limit: number) =>
    (
      await path.read<{ id: string }>(
        `SELECT id FROM generation WHERE status IN ('queued', 'processing') AND admitted ORDER BY random() LIMIT $1`,
        [limit],
      )
    ).map(({ id }) => id);
  /** Takes some generations again and again, and ends what it took in batches: often too late, since others took it over. */
  const work = async (batch: boolean) => {
    for (let round = 0; round < 12; round += 1) {
      const ids = await liveIds(8);
      const rows = await withStatementTx(db, (tx) => takeRows(tx, { ids, worker: 'racer', models: [] }));
      await sleep(Math.random() * 5);
      if (batch) await settleMany(rows.map((row, n) => settlementOf(row, n % 3 === 0 ? { error: 'internal' } : {})));
      else for (const row of rows.slice(0, 3)) await settleOne(settlementOf(row));
    }
  };
  const submit = async (account: PathAccount) => {
    for (let n = 0; n < 10; n += 1) {
      const id = await path.begin(account);
      if (n % 3 === 0) await path.cancel(account, id);
    }
  };
  const before = await deadlocks();
  await Promise.all([work(true), work(true), work(true), work(false), ...accounts.map(submit)]);
  expect(await deadlocks()).toBe(before);
  const [ended] = await path.read<{ n: number }>(
    `SELECT count(*)::int AS n FROM generation WHERE status = 'succeeded'`,
  );
  expect(ended?.n).toBeGreaterThan(10);
});

/** Deadlocks so far, also those that the store has retried. Every connection reports its own when asked. */
async function deadlocks(): Promise<number> {
  const report = () => db.pool.query('SELECT pg_stat_force_next_flush(), pg_sleep(0.1)');
  await Promise.all(Array.from({ length: db.pool.totalCount }, report));
  const [row] = await path.read<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks ?? 0;
}
