import { randomBytes } from 'node:crypto';
import { createSettler } from '@atelier/server/domain/generations/run/create-settler.ts';
import { settleGeneration } from '@atelier/server/domain/generations/run/settle-generation.ts';
import { takeGenerations } from '@atelier/server/domain/generations/run/take-generations.ts';
import { TEST_LIMITS } from '@atelier/server/domain/generations/testing/test-limits.ts';
import { createDb, type Db, statement } from '@atelier/server/platform/db.ts';
import { newId } from '@atelier/server/platform/ids.ts';
import { createTelemetry } from '@atelier/server/platform/telemetry.ts';
import { NO_TRACING } from '@atelier/server/platform/tracing.ts';
import { createBoss, createQueueDb } from '@atelier/server/queue/create-boss.ts';
import type { QueuedJob } from '@atelier/server/queue/start-pump.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';
import { median } from './rounds.ts';
import { drainQueue } from './run/drain-queue.ts';
import { fillGenerations, GENERATIONS_PER_ACCOUNT } from './run/fill-generations.ts';
import { type Cost, measureCost } from './run/measure-cost.ts';
import { createPlainRows } from './run/plain-rows.ts';

/** Of each side of a round. */
const ACCOUNTS_PER_SECOND = 60;
const LEAST_ACCOUNTS = 100;
const CONNECTIONS = 20;
const QUEUE_CONNECTIONS = 6;
const BARS = { bare: 0.5, rows: 1, batchedRows: 0.6 } as const;

type Side = 'bare' | 'rows' | 'batchedRows' | 'ours';

/**
 * Generations run, settled and promoted with an event, against three limits: the same pump on jobs that each commit one row,
 * and the rows of a generation written by plain SQL, committed one by one and in batches.
 */
export const benchRun: Bench = async ({ services, seconds, rounds: count, say }) => {
  const stack = await startStack({ services, apis: 0, workers: 0 });
  const db = createDb({ url: stack.appUrl, applicationName: 'bench-run', maxConnections: CONNECTIONS });
  const queueDb = createQueueDb({
    url: stack.appUrl,
    applicationName: 'bench-queue',
    maxConnections: QUEUE_CONNECTIONS,
  });
  const owner = createDb({
    url: stack.ownerUrl,
    applicationName: 'bench-owner',
    maxConnections: 2,
    statementTimeoutMs: 60_000,
  });
  const boss = createBoss({ pool: queueDb.pool, supervise: false, onError: (error) => say(`queue: ${error.message}`) });
  try {
    await boss.start();
    const accounts = await Promise.all(
      Array.from({ length: Math.max(LEAST_ACCOUNTS, Math.round((seconds / count) * ACCOUNTS_PER_SECOND)) }, () =>
        makeAccount(stack),
      ),
    );
    const items = accounts.length * GENERATIONS_PER_ACCOUNT;
    await owner.pool.query(
      'CREATE TABLE bench_row (id uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()); GRANT INSERT ON bench_row TO atelier_app',
    );
    const rows = await createPlainRows({ owner, db }, { schema: 'bench_rows', batched: false });
    const batchedRows = await createPlainRows({ owner, db }, { schema: 'bench_batched_rows', batched: true });
    const measure = (work: () => Promise<void>) =>
      measureCost({ db: owner, postgresPid: services.pids.postgres as number, items }, work);
    const settle = createSettle(db);

    const rounds: Record<Side, Cost>[] = [];
    for (let round = 0; round < count; round += 1) {
      await fillGenerations(db, accounts);
      await fillBare(db, items);
      const [plain, batched] = [await rows.fill(), await batchedRows.fill()];
      await owner.pool.query('ANALYZE account, key_month, generation, hold, transfer, asset, event');
      const sides: Record<Side, () => Promise<void>> = {
        bare: () => drainQueue({ boss, queue: 'run-local', start: (jobs) => jobs.map(() => insertRow(db)) }, items),
        ours: () => drainQueue({ boss, queue: 'run-simulator', start: (jobs) => settle(jobs) }, items),
        rows: () => rows.run(plain),
        batchedRows: () => batchedRows.run(batched),
      };
      const costs: Partial<Record<Side, Cost>> = {};
      // Every other round in the opposite order, so that no side is always measured on the larger tables.
      const order = Object.keys(sides) as Side[];
      for (const side of round % 2 === 0 ? order : order.reverse()) costs[side] = await measure(sides[side]);
      rounds.push(costs as Record<Side, Cost>);
    }
    await stack.assertBooks();
    const figures = summarize(rounds);
    for (const line of describe(figures)) say(line);
    return figures;
  } finally {
    await boss.stop({ graceful: false });
    await Promise.all([db.pool.end(), queueDb.pool.end(), owner.pool.end()]);
    await stack.stop();
  }
};

type Figures = ReturnType<typeof summarize>;

/** Medians; a ratio is the median of the ratios of each round, since the sides of a round share the machine's state. */
function summarize(rounds: readonly Record<Side, Cost>[]) {
  const rate = (side: Side) => median(rounds.map((round) => round[side].perSecond));
  const ratio = (side: Side) => median(rounds.map((round) => round.ours.perSecond / round[side].perSecond));
  const cost = (side: Side, name: 'postgresMicroseconds' | 'walBytes') =>
    median(rounds.map((round) => round[side][name]));
  return {
    ourRate: rate('ours'),
    bareRate: rate('bare'),
    ratio: ratio('bare'),
    rowsRate: rate('rows'),
    rowsRatio: ratio('rows'),
    batchedRowsRate: rate('batchedRows'),
    batchedRowsRatio: ratio('batchedRows'),
    walBytes: cost('ours', 'walBytes'),
    bareWalBytes: cost('bare', 'walBytes'),
    rowsWalBytes: cost('rows', 'walBytes'),
    batchedRowsWalBytes: cost('batchedRows', 'walBytes'),
    postgresMicroseconds: cost('ours', 'postgresMicroseconds'),
    barePostgresMicroseconds: cost('bare', 'postgresMicroseconds'),
    rowsPostgresMicroseconds: cost('rows', 'postgresMicroseconds'),
    batchedRowsPostgresMicroseconds: cost('batchedRows', 'postgresMicroseconds'),
  };
}

function describe(figures: Figures): string[] {
  const line = (name: string, [rate, cpu, wal]: readonly [number, number, number], ratio = '') =>
    `${name.padEnd(42)} ${rate.toFixed(0).padStart(6)}/s  PostgreSQL ${cpu.toFixed(0).padStart(5)} us  WAL ${wal.toFixed(0).padStart(6)} bytes  ${ratio}`;
  const against = (value: number, bar: number) => `ours/this ${value.toFixed(2)} (bar ${bar})`;
  const f = figures;
  return [
    line('generations, taken to settled', [f.ourRate, f.postgresMicroseconds, f.walBytes]),
    line(
      'bare pg-boss, one row committed per job',
      [f.bareRate, f.barePostgresMicroseconds, f.bareWalBytes],
      against(f.ratio, BARS.bare),
    ),
    line(
      'the same rows in plain SQL, one commit each',
      [f.rowsRate, f.rowsPostgresMicroseconds, f.rowsWalBytes],
      against(f.rowsRatio, BARS.rows),
    ),
    line(
      'the same rows in plain SQL, in batches',
      [f.batchedRowsRate, f.batchedRowsPostgresMicroseconds, f.batchedRowsWalBytes],
      against(f.batchedRowsRatio, BARS.batchedRows),
    ),
  ];
}

const INSERT_ROW = statement('bench_insert', 'INSERT INTO bench_row (id) VALUES ($1)');

async function insertRow(db: Db): Promise<void> {
  await db.query(INSERT_ROW, [newId()]);
}

async function fillBare(db: Db, jobs: number): Promise<void> {
  await db.query(
    statement(
      'bench_fill',
      `SELECT enqueue_job(p_queue => 'run-local', p_id => gen_random_uuid(), p_data => '{}', p_start_after => now())
       FROM generate_series(1, $1)`,
    ),
    [jobs],
  );
}

/** What the worker does with a batch of jobs whose provider answers at once. */
function createSettle(db: Db): (jobs: readonly QueuedJob[]) => Promise<void>[] {
  const taking = {
    db,
    catalog: () => ({ version: 'bench', models: new Map(), effects: new Map() }),
    offers: () => new Set<string>(),
  };
  const settling = {
    settler: createSettler({ db }),
    wake: () => {},
    telemetry: createTelemetry(),
    tracing: NO_TRACING,
    limits: TEST_LIMITS,
  };
  return (jobs) => {
    const idOf = (job: QueuedJob) => (job.data as { generationId: string }).generationId;
    const taken = takeGenerations(taking, { ids: jobs.map(idOf), worker: 'bench', offered: [] });
    return jobs.map(async (job) => {
      const row = (await taken).get(idOf(job));
      if (row === undefined) throw new Error('a generation was not taken');
      await settleGeneration(settling, { id: row.id, attempt: row.attempt, error: null, assets: [stubAsset()] });
    });
  };
}

function stubAsset() {
  const id = newId();
  return {
    id,
    position: 0,
    kind: 'image',
    mime_type: 'image/png',
    bytes: 1,
    sha256: randomBytes(32).toString('hex'),
    width: 1,
    height: 1,
    duration_seconds: null,
    transparent: null,
    stem: null,
    object_key: `bench/${id}`,
    variants: {},
  };
}
