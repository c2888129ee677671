import type pg from 'pg';
import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import type { Db, Statement, Tx } from '../../../platform/db.ts';
import { createMoneyPath, sampleOutput } from '../testing/create-money-path.ts';
import { saveSubmitted, settleRow, takeRows, updateProgress } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

/** A `Tx` and `Db` on one connection. */
const on = (client: pg.PoolClient) =>
  ({
    query: async (statement: Statement, values: unknown[]) => (await client.query(statement.text, values)).rows,
  }) as unknown as Tx & Db;

/** The row updates of `work` in a table, and how many of them wrote no index entry. */
async function countUpdates(client: pg.PoolClient, tables: readonly string[], work: () => Promise<unknown>) {
  const read = async () =>
    (
      await client.query<{ table: string; updated: number; inPlace: number }>(
        `SELECT relname AS "table", n_tup_upd::int AS updated, n_tup_hot_upd::int AS "inPlace"
         FROM pg_stat_xact_user_tables WHERE schemaname = 'public' AND relname = ANY ($1) ORDER BY relname`,
        [tables],
      )
    ).rows;
  // The connection may not have reported the counts of earlier transactions yet.
  const before = await read();
  await work();
  return (await read()).map(({ table, updated, inPlace }, n) => ({
    table,
    updated: updated - before[n]!.updated,
    inPlace: inPlace - before[n]!.inPlace,
  }));
}

test('a take, a handle and progress write no index entry of a generation', async () => {
  const account = await path.makeAccount({ runLimit: 3 });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push(await path.begin(account));
  await holdTransaction(db, async (client) => {
    const counts = await countUpdates(client, ['generation'], async () => {
      for (const run of await takeRows(on(client), { ids, worker: 'worker', models: [] })) {
        await saveSubmitted(on(client), { ...run, target: 'cog/main', handle: 'h1' });
        await updateProgress(on(client), { ...run, progress: 0.5 });
      }
    });
    expect(counts).toEqual([{ table: 'generation', updated: 9, inPlace: 9 }]);
  });
});

test('a settlement updates balance, hold and month in place', async () => {
  const account = await path.makeAccount();
  const run = await path.take(await path.begin(account));
  await holdTransaction(db, async (client) => {
    const counts = await countUpdates(client, ['account', 'hold', 'key_month'], () =>
      settleRow(on(client), { ...run!, error: null, assets: [sampleOutput(0)], retentionDays: 1 }),
    );
    expect(counts.map(({ table }) => table)).toEqual(['account', 'hold', 'key_month']);
    for (const { updated, inPlace } of counts) {
      expect(updated).toBeGreaterThan(0);
      expect(inPlace).toBe(updated);
    }
  });
});

test('no index names the status of a generation, which changes while it is live', async () => {
  const rows = await path.read<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'generation'`,
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(rows.filter(({ indexdef }) => /\bstatus\b/.test(indexdef))).toEqual([]);
});
