import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../test/database.ts';
import { withTx } from '../platform/db.ts';
import { createBoss } from './create-boss.ts';
import { enqueue } from './enqueue.ts';
import { type QueuedJob, startPump } from './start-pump.ts';

const { db, owner } = await openTestDatabase();
const boss = createBoss({ pool: db.pool, supervise: false, onError: () => {} });
await boss.start();
afterAll(() => boss.stop({ graceful: false }));

const QUEUE = 'run-simulator';

async function until(what: string, probe: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await probe())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

/** Simulates an outage longer than the heartbeat: the lease expires and the queue delivers the job again. */
async function lapse(id: string): Promise<void> {
  await owner.pool.query(`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE id = $1`, [id]);
  // The monitor checks a queue at most every few seconds.
  await owner.pool.query('UPDATE pgboss.queue SET monitor_on = NULL');
  await boss.supervise(QUEUE);
}

test('a job whose lease expired returns to the same worker: the older run is aborted, the newer one keeps its lease', async () => {
  const id = randomUUID();
  const runs: QueuedJob[] = [];
  const ends: Array<() => void> = [];
  const pump = startPump({
    boss,
    queue: QUEUE,
    concurrency: 4,
    start: (jobs) =>
      jobs.map(
        (job) =>
          new Promise<void>((resolve, reject) => {
            runs.push(job);
            ends.push(resolve);
            job.signal.addEventListener('abort', () => reject(job.signal.reason));
          }),
      ),
    onError: () => {},
  });
  await withTx(db, (tx) => enqueue(tx, { queue: QUEUE, payload: { generationId: id }, id }));
  await until('it runs', () => runs.length === 1);
  await lapse(id);
  await until('it runs again', () => runs.length === 2);
  expect(runs[0]?.signal.aborted).toBe(true);
  expect(runs[1]?.signal.aborted).toBe(false);

  const heartbeat = async () =>
    (await owner.pool.query('SELECT heartbeat_on AS at, state FROM pgboss.job WHERE id = $1', [id])).rows[0];
  const before = await heartbeat();
  await until('the newer run was touched', async () => (await heartbeat()).at > before.at);
  expect(runs).toHaveLength(2);
  ends[1]?.();
  await pump.drain(2_000);
  expect((await heartbeat()).state).toBe('completed');
});

test('a report waits for the renewal of the leases, and a renewal leaves out ended jobs: the two cannot deadlock', async () => {
  // A renewal locks rows in this order, so it holds the first two when it waits for the third.
  const ids = Array.from({ length: 3 }, () => randomUUID()).sort();
  const ends = new Map<string, () => void>();
  const errors: string[] = [];
  const pump = startPump({
    boss,
    queue: QUEUE,
    concurrency: 4,
    start: (jobs) => jobs.map(({ id }) => new Promise<void>((resolve) => ends.set(id, resolve))),
    onError: (error) => errors.push(error.message),
  });
  await withTx(db, async (tx) => {
    for (const id of ids) await enqueue(tx, { queue: QUEUE, payload: { generationId: id }, id });
  });
  await until('they run', () => ends.size === 3);
  /** Statements of the pump that wait for a lock, by the column that they set first. */
  const waiting = async () =>
    (
      await owner.pool.query<{ what: string }>(
        `SELECT substring(query FROM 'SET (\\w+)') AS what FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE pgboss.%' ORDER BY 1`,
      )
    ).rows.map(({ what }) => what);
  await holdTransaction(owner, async (client) => {
    await client.query('SELECT 1 FROM pgboss.job WHERE id = $1 FOR UPDATE', [ids[2]]);
    await until('the renewal waits for the lock', async () => (await waiting()).includes('heartbeat_on'));
    for (const id of ids.slice(0, 2)) ends.get(id)?.();
    // Longer than a report takes, and than the pause between two renewals.
    await sleep(3_000);
    expect(await waiting()).toEqual(['heartbeat_on']);
  });
  await until('the two are completed', async () => {
    const { rowCount } = await owner.pool.query(
      `SELECT 1 FROM pgboss.job WHERE id = ANY ($1) AND state = 'completed'`,
      [ids],
    );
    return rowCount === 2;
  });
  ends.get(ids[2]!)?.();
  await pump.drain(2_000);
  expect(errors).toEqual([]);
});
