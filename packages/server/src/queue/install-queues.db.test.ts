import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, expect, inject, test } from 'vitest';
import { cloneTemplate } from '../../../../test/clone-template.ts';
import { createDb, withTx } from '../platform/db.ts';
import { createBoss, createQueueDb } from './create-boss.ts';
import { enqueue } from './enqueue.ts';
import { installQueues } from './install-queues.ts';
import { startPump } from './start-pump.ts';

const clone = await cloneTemplate(inject('services').postgresUrl, { durable: false });
const open = (url: string) => createDb({ url, applicationName: 'db-test', maxConnections: 10, lockTimeoutMs: 20_000 });
const [db, owner] = [open(clone.appUrl), open(clone.ownerUrl)];
const queueDb = createQueueDb({ url: clone.appUrl, applicationName: 'db-test', maxConnections: 1 });
afterAll(async () => {
  await Promise.all([db.pool.end(), owner.pool.end(), queueDb.pool.end()]);
  await clone.drop();
});

const QUEUE = 'run-simulator';
const STATES = ['created', 'retry', 'active', 'completed', 'cancelled', 'failed'] as const;

const read = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  (await owner.pool.query<R>(text, values)).rows;

/** The queue as versions without a table per queue created it. */
async function shareTable(queue: string): Promise<void> {
  const boss = new PgBoss({ connectionString: clone.ownerUrl, supervise: false, schedule: false, max: 1 });
  await boss.start();
  await boss.deleteQueue(queue);
  await boss.createQueue(queue, { heartbeatSeconds: 10, retryLimit: 50, retryDelay: 0 });
  await boss.stop({ graceful: false });
}

async function openBoss(): Promise<PgBoss> {
  const boss = createBoss({ pool: db.pool, supervise: false, onError: () => {} });
  await boss.start();
  return boss;
}

const addJob = async (queue: 'run-simulator' | 'deliver-webhook') => {
  const id = randomUUID();
  await withTx(db, (tx) => enqueue(tx, { queue, payload: { generationId: id } as never, id }));
  return id;
};

const readJobs = () =>
  read(`SELECT to_jsonb(j) AS job, j.tableoid::regclass::text AS stands FROM pgboss.job j ORDER BY id`);
const tableOf = async (queue: string) =>
  (
    await read<{ table: string }>(`SELECT 'pgboss.' || table_name AS table FROM pgboss.queue WHERE name = $1`, [queue])
  )[0]!.table;

/** Marks the leases as expired, as after the death of the workers that hold them. */
async function expireLeases(boss: PgBoss): Promise<void> {
  await read(`UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'`);
  await read('UPDATE pgboss.queue SET monitor_on = NULL, monitor_claim_on = NULL');
  await boss.supervise(QUEUE);
}

async function until(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!(await probe())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await sleep(20);
  }
}

test('jobs of a shared table move into the table of their queue, each once and unchanged, and a second run changes nothing', async () => {
  await shareTable(QUEUE);
  await shareTable('deliver-webhook');
  expect(await tableOf(QUEUE)).toBe('pgboss.job_common');
  for (const queue of [QUEUE, 'deliver-webhook'] as const) {
    for (const state of STATES) {
      await read(
        `UPDATE pgboss.job SET state = $2::pgboss.job_state, retry_count = 3, output = '{"n": 1}',
           started_on = CASE WHEN $2 <> 'created' THEN now() END, heartbeat_on = CASE WHEN $2 = 'active' THEN now() END WHERE id = $1`,
        [await addJob(queue), state],
      );
    }
  }
  const before = await readJobs();
  expect(before).toHaveLength(2 * STATES.length);

  await installQueues(clone.ownerUrl);
  const after = await readJobs();
  expect(after.map(({ job }) => job)).toEqual(before.map(({ job }) => job));
  for (const { job, stands } of after) expect(stands).toBe(await tableOf(job.name));
  expect(
    await read('SELECT 1 FROM ONLY pgboss.job_common WHERE name = ANY ($1)', [[QUEUE, 'deliver-webhook']]),
  ).toEqual([]);
  // The same table as one that pg-boss created together with the queue.
  const describe = async (queue: string) => {
    const table = (await tableOf(queue)).slice('pgboss.'.length);
    const rows = await read<{ line: string }>(
      `SELECT indexdef AS line FROM pg_indexes WHERE tablename = $1
       UNION ALL SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = ('pgboss.' || $1)::regclass
       UNION ALL SELECT relacl::text FROM pg_class WHERE oid = ('pgboss.' || $1)::regclass
       UNION ALL SELECT (to_jsonb(q) - 'name' - 'table_name' - 'created_on' - 'updated_on' - 'monitor_on' - 'monitor_claim_on'
         - 'maintain_on')::text FROM pgboss.queue q WHERE q.name = $2 ORDER BY 1`,
      [table, queue],
    );
    return rows.map(({ line }) => line.replaceAll(table, 'table').replaceAll(queue, 'queue'));
  };
  expect(await describe(QUEUE)).toEqual(await describe('run-local'));

  const oids = () =>
    read(`SELECT relname, oid FROM pg_class WHERE relnamespace = 'pgboss'::regnamespace ORDER BY 1, 2`);
  const installed = await oids();
  await installQueues(clone.ownerUrl);
  expect(await oids()).toEqual(installed);
  expect(await readJobs()).toEqual(after);

  // What was created, retried or active runs; what had ended does not.
  const boss = await openBoss();
  const ran: string[] = [];
  const start = (jobs: readonly { id: string }[]) => jobs.map(async ({ id }) => void ran.push(id));
  const pump = startPump({ boss, queue: QUEUE, concurrency: 5, start, onError: () => {} });
  await expireLeases(boss);
  const idsOf = (...states: string[]) =>
    before.filter(({ job }) => job.name === QUEUE && states.includes(job.state)).map(({ job }) => job.id as string);
  await until('three have run', () => ran.length >= 3);
  await pump.drain(2_000);
  await boss.stop({ graceful: false });
  expect(ran.sort()).toEqual(idsOf('created', 'retry', 'active').sort());
});

const CONCURRENCY = 5;
const UNREPORTED = 20;

test('a queue is moved while workers of the previous version fetch and others add jobs: none is lost', async () => {
  await read('DELETE FROM pgboss.job');
  await shareTable(QUEUE);
  const runs = new Map<string, number>();
  const startPumps = (bosses: readonly PgBoss[]) =>
    bosses.map((boss) =>
      startPump({
        boss,
        queue: QUEUE,
        concurrency: CONCURRENCY,
        start: (jobs) =>
          jobs.map(async ({ id }) => {
            runs.set(id, (runs.get(id) ?? 0) + 1);
            await sleep(5);
          }),
        onError: () => {},
      }),
    );
  const previous = [await openBoss(), await openBoss()];
  const pumps = startPumps(previous);
  const ids: string[] = [];
  let adding = true;
  const producers = [1, 2, 3].map(async () => {
    while (adding) ids.push(await addJob(QUEUE));
  });
  await until('the workers run', () => runs.size > 100);
  await installQueues(clone.ownerUrl);
  const converted = ids.length;
  await until('more jobs are added', () => ids.length > converted + 50);
  adding = false;
  await Promise.all(producers);
  await Promise.all(pumps.map((pump) => pump.drain(2_000)));
  for (const boss of previous) await boss.stop({ graceful: false });

  const boss = await openBoss();
  const [pump] = startPumps([boss]);
  // Reports of the previous workers about jobs that had moved found no row.
  await expireLeases(boss);
  const unfinished = async () =>
    (await read<{ left: number }>(`SELECT count(*)::int AS left FROM pgboss.job WHERE state <> 'completed'`))[0]!.left;
  await until('all have ended', async () => (await unfinished()) === 0);
  await pump!.drain(2_000);
  await boss.stop({ graceful: false });
  const rows = await read<{ id: string; retries: number }>(
    'SELECT id, retry_count AS retries FROM pgboss.job ORDER BY id',
  );
  expect(rows.map(({ id }) => id)).toEqual([...ids].sort());
  // Only a job whose lease was lost ran again.
  expect(rows.filter(({ id, retries }) => runs.get(id) !== retries + 1)).toEqual([]);
  // At most the active jobs of both workers, and those that had ended but were not yet reported.
  expect(rows.filter(({ retries }) => retries > 0).length).toBeLessThanOrEqual(2 * (CONCURRENCY + UNREPORTED));
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

test('the first statements after an installation use an index, with 20,000 finished jobs and no ANALYZE', async () => {
  await shareTable(QUEUE);
  await installQueues(clone.ownerUrl);
  await read(
    `INSERT INTO pgboss.job (name, state, created_on, start_after, started_on, completed_on)
     SELECT $1, 'completed', now(), now(), now(), now() FROM generate_series(1, 20000)`,
    [QUEUE],
  );
  const ids = await Promise.all(Array.from({ length: 5 }, () => addJob(QUEUE)));
  const plans: PlanNode[][] = [];
  const explain = async (query: string | { text: string; values: unknown[] }) => {
    const { text, values } = typeof query === 'string' ? { text: query, values: [] } : query;
    if (!/UPDATE|DELETE/.test(text)) return queueDb.pool.query(text, values);
    const { rows } = await queueDb.pool.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
    plans.push(flatten(rows[0]['QUERY PLAN'][0].Plan));
    return { rows: [{ count: 0, ids: [] }] };
  };
  const boss = createBoss({ pool: { query: explain } as never, supervise: false, onError: () => {} });
  await boss.start();
  await boss.fetch(QUEUE, { batchSize: 50, orderByCreatedOn: true });
  const held = ids.map((id) => ({ id, retryCount: 0 }));
  await boss.complete(QUEUE, held);
  await boss.touch(QUEUE, held);
  await boss.fail(QUEUE, held);
  await boss.stop({ graceful: false });

  const table = (await tableOf(QUEUE)).slice('pgboss.'.length);
  expect(plans).toHaveLength(4);
  const scans = plans.map((nodes) =>
    nodes.filter((node) => node['Node Type'].includes('Scan') && node['Relation Name'] === table),
  );
  for (const nodes of scans) {
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(nodes.length).toBeGreaterThan(0);
  }
  // Fetching reads waiting jobs in order; the others go to each job by its id.
  expect(scans[0]!.map((node) => node['Index Name'])).toContain(`${table}_i11`);
  const conditions = plans.map((nodes) => nodes.map((node) => node['Index Cond'] ?? '').join());
  for (const condition of conditions) expect(condition).toMatch(/\bid = /);
});
