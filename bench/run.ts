import { randomBytes } from 'node:crypto';
import { settleGeneration } from '@atelier/server/domain/generations/run/settle-generation.ts';
import { takeGenerations } from '@atelier/server/domain/generations/run/take-generations.ts';
import { TEST_LIMITS } from '@atelier/server/domain/generations/testing/test-limits.ts';
import { createDb, type Db, statement } from '@atelier/server/platform/db.ts';
import { newId } from '@atelier/server/platform/ids.ts';
import { createTelemetry } from '@atelier/server/platform/telemetry.ts';
import { createBoss, installQueues } from '@atelier/server/queue/create-boss.ts';
import { startPump } from '@atelier/server/queue/start-pump.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import type { Bench } from './bench.ts';

const ACCOUNTS = 500;
const JOBS = 6_000;
const CONCURRENCY = 100;
const CONNECTIONS = 20;

/** Generations run, settled and promoted with an event, against the same pump on jobs that each commit one row. */
export const benchRun: Bench = async ({ services, say }) => {
  const stack = await startStack({ services, apis: 0, workers: 0 });
  const db = createDb({ url: stack.appUrl, applicationName: 'bench-run', maxConnections: CONNECTIONS });
  const engine = createDb({ url: stack.appUrl, applicationName: 'bench-engine', maxConnections: 6 });
  const owner = createDb({ url: stack.ownerUrl, applicationName: 'bench-owner', maxConnections: 2 });
  const boss = createBoss({ pool: engine.pool, supervise: false, onError: (error) => say(`engine: ${error.message}`) });
  try {
    await installQueues(stack.ownerUrl);
    await boss.start();
    await owner.pool.query(
      'CREATE TABLE bench_row (id uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()); GRANT INSERT ON bench_row TO atelier_app',
    );
    await fillBare(db);
    const bareRate = await drain(boss, 'run-local', JOBS, (jobs) =>
      jobs.map(async () => {
        await db.query(statement('bench_insert', 'INSERT INTO bench_row (id) VALUES ($1)'), [newId()]);
      }),
    );

    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount(stack)));
    await fillGenerations(db, accounts);
    const telemetry = createTelemetry();
    const settling = {
      db,
      wake: () => {},
      telemetry,
      limits: TEST_LIMITS,
    };
    const ourRate = await drain(boss, 'run-simulator', JOBS, (jobs) => {
      const taken = takeGenerations(
        { db, catalog: () => ({ version: 'bench', models: new Map(), effects: new Map() }), offers: () => new Set() },
        {
          ids: jobs.map((job) => (job.data as { generationId: string }).generationId),
          worker: 'bench',
          offered: [],
        },
      );
      return jobs.map(async (job) => {
        const row = (await taken).get((job.data as { generationId: string }).generationId);
        if (row === undefined) return;
        await settleGeneration(settling, { id: row.id, attempt: row.attempt, error: null, assets: [stubAsset()] });
      });
    });
    const ratio = ourRate / bareRate;
    say(`bare pg-boss, one row committed per job  ${bareRate.toFixed(0).padStart(6)} jobs/s`);
    say(`generations, taken to settled            ${ourRate.toFixed(0).padStart(6)} generations/s`);
    say(`ratio ${ratio.toFixed(2)} (bar 0.50)`);
    await owner.pool.query('DROP TABLE bench_row');
    return { bareRate, ourRate, ratio };
  } finally {
    await boss.stop({ graceful: false });
    await Promise.all([db.pool.end(), engine.pool.end(), owner.pool.end()]);
    await stack.stop();
  }
};

type Start = Parameters<typeof startPump>[0]['start'];

async function drain(
  boss: Parameters<typeof startPump>[0]['boss'],
  queue: 'run-local' | 'run-simulator',
  jobs: number,
  start: Start,
): Promise<number> {
  let done = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begin = performance.now();
  const pump = startPump({
    boss,
    queue,
    concurrency: CONCURRENCY,
    start: (batch) =>
      start(batch).map((each) =>
        each.then(() => {
          done += 1;
          if (done === jobs) finish();
        }),
      ),
    onError: (error) => {
      throw error;
    },
  });
  await finished;
  const seconds = (performance.now() - begin) / 1000;
  await pump.drain(10_000);
  return jobs / seconds;
}

async function fillBare(db: Db): Promise<void> {
  await db.query(
    statement(
      'bench_fill',
      `SELECT enqueue_job(p_queue => 'run-local', p_id => gen_random_uuid(), p_data => '{}', p_start_after => now())
       FROM generate_series(1, $1)`,
    ),
    [JOBS],
  );
}

/** Twelve generations per account with a limit of four, the accounts taking turns: eight of each wait, so that promotion is part of the figure. */
async function fillGenerations(db: Db, accounts: ReadonlyArray<{ accountId: string; keyId: string }>): Promise<void> {
  const fill = statement(
    'bench_submit',
    `SELECT submit_generation(p_id => gen_random_uuid(), p_account => a.account, p_key => a.key, p_channel => 'api',
       p_idempotency_key => gen_random_uuid()::text, p_fingerprint => $3, p_model_id => 'canvas', p_model_name => 'Canvas',
       p_task_type => 'image.generate', p_modality => 'image', p_workspace => 'image',
       p_effect_id => NULL, p_effect_text => NULL, p_params => '{"prompt":"x"}', p_project_id => NULL, p_consent_version => NULL,
       p_pool => 'run-simulator', p_coins => 7, p_coins_per_output => 7, p_outputs => 1,
       p_max_coins => NULL, p_pricebook_version => 'bench', p_deadline_seconds => 300, p_inputs => '{}')
     FROM unnest($1::uuid[], $2::uuid[]) AS a (account, key)`,
  );
  const ids = accounts.map((account) => account.accountId);
  const keys = accounts.map((account) => account.keyId);
  for (let round = 0; round < JOBS / accounts.length; round += 1) await db.query(fill, [ids, keys, randomBytes(32)]);
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
