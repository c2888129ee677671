import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath, type PathAccount } from '../testing/create-money-path.ts';
import { holdAccountLock } from '../testing/hold-account-lock.ts';
import type { RunRow } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
/** Long enough for a step to wait for the lock before the next one starts. */
const QUEUE_ORDER_MS = 200;

async function admittedOf(account: PathAccount): Promise<string[]> {
  const rows = await path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND admitted AND status IN ('queued', 'processing') ORDER BY created_at, id`,
    [account.accountId],
  );
  return rows.map(({ id }) => id);
}

/** Runs the steps so that all of them wait for the account lock before any continues. */
async function waitTogether<T>(account: PathAccount, steps: ReadonlyArray<() => Promise<T>>): Promise<T[]> {
  let running: Promise<T[]> | undefined;
  await holdAccountLock(owner, {
    accountId: account.accountId,
    waiters: steps.length,
    start: () => {
      running = Promise.all(steps.map((step) => step()));
    },
  });
  return (await running) as T[];
}

// Locking and selecting in one statement used the snapshot from before the wait: both settlements promoted the same one.
test('two concurrent settlements promote two generations, over 4 accounts and 12 rounds', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => path.makeAccount({ runLimit: 2 })));
  for (const account of accounts) for (let n = 0; n < 26; n += 1) await path.begin(account);
  for (let round = 0; round < 12; round += 1) {
    for (const account of accounts) {
      const admitted = await admittedOf(account);
      expect(admitted).toHaveLength(2);
      const runs = await Promise.all(admitted.map((id) => path.take(id)));
      const ends = await waitTogether(
        account,
        runs.map((run) => () => path.settle(run!)),
      );
      expect(ends).toEqual([
        { outcome: 'settled', wake: ['run-simulator'] },
        { outcome: 'settled', wake: ['run-simulator'] },
      ]);
      expect(await path.accountOf(account)).toMatchObject({ slots: 2 });
    }
  }
  for (const account of accounts) expect(await path.jobsOf(account)).toHaveLength(26);
});

test('two concurrent cancels promote two generations', async () => {
  const account = await path.makeAccount({ runLimit: 2 });
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await path.begin(account));
  await waitTogether(account, [() => path.cancel(account, ids[0]!), () => path.cancel(account, ids[1]!)]);
  expect(await admittedOf(account)).toEqual([ids[2], ids[3]]);
});

test('a concurrent settlement and submit leave no slot empty and take none twice', async () => {
  const account = await path.makeAccount({ runLimit: 1 });
  for (let round = 0; round < 5; round += 1) {
    const [current] = await admittedOf(account);
    const run = await path.take(current ?? (await path.begin(account)));
    await waitTogether<unknown>(account, [
      () => path.settle(run!),
      () => path.submit(account),
      () => path.submit(account),
    ]);
    expect(await admittedOf(account)).toHaveLength(1);
    expect(await path.accountOf(account)).toMatchObject({ slots: 1 });
  }
});

test('a concurrent limit increase and settlement fill the free slots exactly', async () => {
  const account = await path.makeAccount({ runLimit: 1 });
  const first = await path.begin(account);
  for (let n = 0; n < 5; n += 1) await path.begin(account);
  const run = await path.take(first);
  await waitTogether<unknown>(account, [() => path.settle(run!), () => path.setRunLimit(account, 3)]);
  expect(await admittedOf(account)).toHaveLength(3);
  expect(await path.jobsOf(account)).toHaveLength(4);
});

// The lock order is account, then generation. If one step reverses it, the two deadlock. These calls bypass the store,
// which would retry a deadlock.
describe('concurrent steps on one generation do not deadlock', () => {
  const cancel = (account: PathAccount, id: string) => () =>
    db.pool.query('SELECT outcome FROM cancel_generation(p_account => $1, p_id => $2)', [account.accountId, id]);
  const settle = (run: RunRow | undefined) => () =>
    db.pool.query(
      `SELECT outcome FROM settle_generation(p_id => $1, p_attempt => $2, p_error_code => 'internal', p_error_message => 'x',
         p_assets => '[]', p_retention_days => 90)`,
      [run?.id, run?.attempt],
    );
  const later = (step: () => Promise<pg.QueryResult>) => async () => {
    await sleep(QUEUE_ORDER_MS);
    return step();
  };
  const outcomes = (results: readonly pg.QueryResult[]) => results.map(({ rows }) => rows[0].outcome);

  test('a settlement before the cancel of the generation that it promotes', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const run = await path.take(await path.begin(account));
    const waiting = await path.begin(account);
    const steps = [settle(run), later(cancel(account, waiting))];
    expect(outcomes(await waitTogether(account, steps))).toEqual(['settled', 'canceled']);
    expect(await path.accountOf(account)).toMatchObject({ slots: 0 });
  });
});
