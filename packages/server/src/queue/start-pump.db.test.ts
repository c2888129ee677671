import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { withTx } from '../platform/db.ts';
import { createBoss } from './create-boss.ts';
import { enqueue } from './enqueue.ts';
import type { RunPool } from './queues.ts';
import { type QueuedJob, startPump } from './start-pump.ts';

const { db, owner } = await openTestDatabase();
const boss = createBoss({ pool: db.pool, supervise: false, onError: () => {} });
await boss.start();
afterAll(() => boss.stop({ graceful: false }));

async function sendMany(queue: RunPool, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  await withTx(db, async (tx) => {
    for (const id of ids) await enqueue(tx, { queue, payload: { generationId: id }, id });
  });
  return ids;
}

async function statesOf(ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await owner.pool.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM pgboss.job WHERE id = ANY ($1) GROUP BY 1',
    [ids],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function until(what: string, probe: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await probe())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await sleep(10);
  }
}

/** A pump whose jobs run `work`, with a record of its calls. */
function watchPump(
  queue: RunPool,
  concurrency: number,
  work: (job: QueuedJob) => Promise<void>,
  isPaused = () => false,
) {
  const seen = { ran: [] as string[], running: 0, most: 0, errors: [] as string[] };
  const pump = startPump({
    boss,
    queue,
    concurrency,
    start: (jobs) =>
      jobs.map(async (job) => {
        seen.ran.push(job.id);
        seen.running += 1;
        seen.most = Math.max(seen.most, seen.running);
        try {
          await work(job);
        } finally {
          seen.running -= 1;
        }
      }),
    isPaused,
    onError: (error) => seen.errors.push(error.message),
  });
  return { pump, seen };
}

test('every job runs once, within the concurrency limit', async () => {
  const ids = await sendMany('run-simulator', 150);
  const { pump, seen } = watchPump('run-simulator', 10, () => sleep(2));
  await until('all have run', () => seen.ran.length >= 150);
  await pump.drain(5_000);
  expect([...seen.ran].sort()).toEqual([...ids].sort());
  expect(seen.most).toBe(10);
  expect(seen.errors).toEqual([]);
  expect(await statesOf(ids)).toEqual({ completed: 150 });
});

test('two pumps share the jobs and run none twice', async () => {
  const ids = await sendMany('run-simulator', 100);
  const pumps = [1, 2].map(() => watchPump('run-simulator', 5, () => sleep(1)));
  const ran = () => pumps.flatMap(({ seen }) => seen.ran);
  await until('all have run', () => ran().length >= 100);
  await Promise.all(pumps.map(({ pump }) => pump.drain(5_000)));
  expect(ran().sort()).toEqual([...ids].sort());
});

test('a wake is faster than the poll', async () => {
  const { pump, seen } = watchPump('run-local', 1, async () => {});
  const timeJobs = async (afterSend: () => void) => {
    const startedMs = performance.now();
    for (let n = 0; n < 8; n += 1) {
      const before = seen.ran.length;
      await sendMany('run-local', 1);
      afterSend();
      await until('it has run', () => seen.ran.length > before);
      // Long enough for the loop to find no job and wait again.
      await sleep(30);
    }
    return performance.now() - startedMs;
  };
  const polledMs = await timeJobs(() => {});
  const wokenMs = await timeJobs(() => pump.wake());
  expect(wokenMs).toBeLessThan(polledMs * 0.75);
  await pump.drain(1_000);
});

test('a failed job is delivered again', async () => {
  const [id] = await sendMany('run-remote', 1);
  const { pump, seen } = watchPump('run-remote', 1, async () => {
    if (seen.ran.length < 3) throw new Error('not yet');
  });
  await until('it succeeded', () => seen.ran.length === 3);
  await pump.drain(2_000);
  expect(seen.ran).toEqual([id, id, id]);
  expect(seen.errors).toEqual(['not yet', 'not yet']);
  expect(await statesOf([id!])).toEqual({ completed: 1 });
});

test('a paused pump finishes what runs, fetches nothing, and counts as connected', async () => {
  const ids = await sendMany('run-remote', 3);
  let paused = false;
  const work: { end?: () => void } = {};
  const { pump, seen } = watchPump(
    'run-remote',
    1,
    () =>
      new Promise<void>((resolve) => {
        work.end = resolve;
        if (seen.ran.length > 1) resolve();
      }),
    () => paused,
  );
  await until('one runs', () => seen.running === 1);
  paused = true;
  const pausedAtMs = performance.now();
  work.end?.();
  await until('it is reported', async () => (await statesOf(ids)).completed === 1);
  pump.wake();
  await until('the pump has looked again', () => pump.lastAnswerMs() > pausedAtMs + 600);
  expect(seen.ran).toHaveLength(1);
  paused = false;
  await until('the rest ran', () => seen.ran.length === 3);
  await pump.drain(2_000);
  expect(await statesOf(ids)).toEqual({ completed: 3 });
});

test('a drain waits for active jobs and fetches no more', async () => {
  const ids = await sendMany('run-remote', 5);
  const { pump, seen } = watchPump('run-remote', 2, () => sleep(150));
  await until('two run', () => seen.running === 2);
  await pump.drain(5_000);
  expect(seen.ran).toHaveLength(2);
  expect(await statesOf(ids)).toEqual({ completed: 2, created: 3 });
  await boss.deleteQueuedJobs('run-remote');
});

test('a drain that times out aborts the job and returns it to the queue', async () => {
  const [id] = await sendMany('run-remote', 1);
  let told: unknown;
  const { pump, seen } = watchPump('run-remote', 1, ({ signal }) => {
    signal.addEventListener('abort', () => {
      told = signal.reason;
    });
    return sleep(2_000, undefined, { signal });
  });
  await until('it runs', () => seen.running === 1);
  await pump.drain(100);
  expect((told as Error).message).toBe('worker stopping');
  expect(await statesOf([id!])).toEqual({ retry: 1 });
});
