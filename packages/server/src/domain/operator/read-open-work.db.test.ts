import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { createDb } from '../../platform/db.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';
import { recordBooksCheck } from './books-check.ts';
import { createOpenWorkReader } from './read-open-work.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

test('queue depth and age by pool, open holds, settlement lag, webhook backlog and lag, parked payments match the database', async () => {
  const account = await path.makeAccount({ runLimit: 2 });
  await owner.pool.query(
    `INSERT INTO webhook_endpoint (id, account_id, url, events, secret_sealed, updated_at)
     VALUES (gen_random_uuid(), $1, 'https://receiver.test/', '{generation.canceled}', 'sealed', now() - interval '1 hour')`,
    [account.accountId],
  );
  const [running, admitted, waiting, canceled] = [
    await path.begin(account),
    await path.begin(account),
    await path.begin(account),
    await path.begin(account),
  ];
  await path.take(running);
  await path.cancel(account, canceled);
  await owner.pool.query(`UPDATE generation SET deadline_at = now() - interval '50 seconds' WHERE id = $1`, [running]);
  await owner.pool.query(`UPDATE generation SET created_at = now() - interval '70 seconds' WHERE id = $1`, [admitted]);
  await owner.pool.query(`UPDATE generation SET created_at = now() - interval '60 seconds' WHERE id = $1`, [waiting]);
  await owner.pool.query(`UPDATE delivery SET next_at = now() - interval '40 seconds'`);
  await owner.pool.query(
    `INSERT INTO parked_payment_event (id, account_id, event, created_at, parked_at)
     SELECT 'evt_' || n, $1, '{}', now(), now() - n * interval '1 hour' FROM generate_series(1, 2) n`,
    [account.accountId],
  );
  const state = await createOpenWorkReader({ db })();
  const { rows } = await owner.pool.query('SELECT pool FROM generation WHERE id = $1', [running]);
  expect(state?.pools).toEqual([
    {
      pool: rows[0].pool,
      waiting: 1,
      admitted: 1,
      processing: 1,
      oldestAdmittedSeconds: expect.closeTo(70, -1),
      oldestWaitingSeconds: expect.closeTo(60, -1),
      overdueSeconds: expect.closeTo(50, -1),
    },
  ]);
  expect(state?.backlog).toMatchObject({
    openHolds: 3,
    openHoldCoins: 21,
    dueDeliveries: 1,
    scheduledDeliveries: 0,
    deliveryLagSeconds: expect.closeTo(40, -1),
    parkedPayments: 2,
    parkedPaymentSeconds: expect.closeTo(7_200, -1),
  });
});

test('concurrent scrapes share one query, and the result is null while the database is unavailable', async () => {
  const read = createOpenWorkReader({ db });
  const readings = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(new Set(readings).size).toBe(1);
  expect(await read()).toBe(readings[0]);
  const away = createDb({ url: 'postgres://nobody@127.0.0.1:9/nothing', applicationName: 'away', maxConnections: 1 });
  expect(await createOpenWorkReader({ db: away })()).toBeNull();
  await away.pool.end();
});

test('the queries use partial indexes of open rows, not the history', async () => {
  const plan = (text: string) =>
    holdTransaction(owner, async (client) => {
      // Small tables are scanned sequentially; this shows which index would be used.
      await client.query('SET LOCAL enable_seqscan = off');
      const { rows } = await client.query(`EXPLAIN ${text}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  const live = `SELECT pool FROM generation WHERE completed_at IS NULL AND admitted ORDER BY created_at LIMIT 50000`;
  expect(await plan(live)).toContain('generation_unfinished');
  const open = `SELECT coins_quoted FROM generation WHERE completed_at IS NULL ORDER BY admitted, created_at LIMIT 50000`;
  expect(await plan(open)).toContain('generation_unfinished');
  const pending = `SELECT next_at FROM delivery WHERE status = 'pending' ORDER BY next_at LIMIT 50000`;
  expect(await plan(pending)).toContain('delivery_pending');
});

test('the outcome of the last verify is read; none before the first', async () => {
  expect((await createOpenWorkReader({ db })())?.books).toBeNull();
  expect(await recordBooksCheck({ db }, { checks: 25, violations: 2 })).toBe(true);
  expect((await createOpenWorkReader({ db })())?.books).toMatchObject({ violations: 2 });
  expect(await recordBooksCheck({ db }, { checks: 25, violations: 0 })).toBe(true);
  const seconds = Date.now() / 1000;
  expect((await createOpenWorkReader({ db })())?.books).toEqual({
    violations: 0,
    checkedAtSeconds: expect.closeTo(seconds, -3),
  });
});
