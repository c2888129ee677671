import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { withTx } from '../platform/db.ts';
import { createBoss, createQueueDb } from './create-boss.ts';
import { enqueue } from './enqueue.ts';

const { db, url } = await openTestDatabase();
const queueDb = createQueueDb({ url, applicationName: 'db-test', maxConnections: 1 });
afterAll(() => queueDb.pool.end());

/** What the connection itself sets, not the server, the database or the role. */
const settingsOf = async ({ pool }: Pick<typeof db, 'pool'>) => {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE source = 'client'
       AND name IN ('jit', 'synchronous_commit', 'plan_cache_mode') ORDER BY name`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
};

test("the service keeps its plans; only the queue's connections plan each time and commit without waiting for the disk", async () => {
  expect(await settingsOf(db)).toEqual({ jit: 'off', plan_cache_mode: 'force_generic_plan' });
  expect(await settingsOf(queueDb)).toEqual({
    jit: 'off',
    plan_cache_mode: 'force_custom_plan',
    synchronous_commit: 'off',
  });
});

test('no statement of the queue keeps a plan from when the queue was smaller', async () => {
  const boss = createBoss({ pool: queueDb.pool, supervise: false, onError: () => {} });
  await boss.start();
  for (let n = 0; n < 10; n += 1) {
    const id = randomUUID();
    await withTx(db, (tx) => enqueue(tx, { queue: 'run-local', payload: { generationId: id }, id }));
    const jobs = await boss.fetch('run-local', { batchSize: 5 });
    expect(jobs.map((job) => job.id)).toEqual([id]);
    await boss.touch('run-local', [{ id, retryCount: 0 }]);
    await boss.complete('run-local', [{ id, retryCount: 0 }]);
  }
  const { rows } = await queueDb.pool.query(
    `SELECT sum(custom_plans)::int AS custom, sum(generic_plans)::int AS kept FROM pg_prepared_statements WHERE statement LIKE '%UPDATE%'`,
  );
  expect(rows[0]).toEqual({ custom: 20, kept: 0 });
  await boss.stop({ graceful: false });
});
