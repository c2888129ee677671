import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { HALF_OPEN_GUARD } from '../platform/db.ts';
import { retryLocks } from '../platform/retry-locks.ts';
import { JOB_RETENTION_SECONDS, type QueueName, queues } from './queues.ts';

/** A conversion that waits for a lock delays every submit behind it, so it gives up quickly and retries. */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_RETRIES = { limitMs: 10 * 60_000, pauseMs: 1_000 };
/** As many rows as the planner needs to see that ids differ and names do not. */
const SAMPLE_JOBS = 300;

/**
 * Creates or updates pg-boss's own schema and one queue per row of the jobs table. Runs with the owner's rights. This is no
 * numbered migration, because the table of a queue is created by pg-boss, from the jobs table of the running version.
 */
export async function installQueues(connectionString: string): Promise<void> {
  const boss = await retryLocks(() => startBoss(connectionString), LOCK_RETRIES);
  const client = new pg.Client({ connectionString, application_name: 'atelier-migrate', ...HALF_OPEN_GUARD });
  try {
    await client.connect();
    for (const [name, row] of Object.entries(queues)) {
      const options = queueOptions(name as QueueName);
      const partition = isPartitioned(name as QueueName);
      if (partition) await convertQueue(client, name as QueueName);
      await boss.createQueue(name, { ...options, partition });
      await boss.updateQueue(name, options);
      if ('cron' in row) await boss.schedule(name, row.cron);
    }
    await seedStatistics(client);
  } finally {
    await client.end();
    await boss.stop({ graceful: false });
  }
}

/** Starting it brings pg-boss's schema to the version of the library. */
async function startBoss(connectionString: string): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: limitLocks(connectionString),
    supervise: false,
    schedule: false,
    max: 2,
  });
  boss.on('error', () => {});
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}

function limitLocks(connectionString: string): string {
  if (!URL.canParse(connectionString)) return connectionString;
  const url = new URL(connectionString);
  const given = url.searchParams.get('options') ?? '';
  url.searchParams.set('options', `${given} -c lock_timeout=${LOCK_TIMEOUT_MS}`.trim());
  return String(url);
}

/**
 * Queues with many jobs have a table each. In the table that pg-boss uses for all queues, the planner's estimate for one queue
 * depends on what the others contain, and a wrong one reads all finished jobs at every fetch and report.
 */
function isPartitioned(name: QueueName): boolean {
  return !('cron' in queues[name]);
}

function queueOptions(name: QueueName) {
  const row = queues[name];
  return {
    heartbeatSeconds: row.heartbeatSeconds,
    retryLimit: row.retryLimit,
    retryDelay: row.retryDelaySeconds,
    expireInSeconds: row.expireSeconds,
    deleteAfterSeconds: JOB_RETENTION_SECONDS,
  };
}

/** Moves a queue that shares a table into its own, with all jobs, in one transaction. Does nothing if it has its own. */
async function convertQueue(client: pg.Client, name: QueueName): Promise<void> {
  if (!(await isShared(client, name))) return;
  const move = async () => {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      // Nobody adds, fetches or reports a job meanwhile. pg-boss locks these tables in the same order.
      await client.query('LOCK TABLE pgboss.queue IN SHARE ROW EXCLUSIVE MODE');
      await client.query('LOCK TABLE pgboss.job IN ACCESS EXCLUSIVE MODE');
      if (await isShared(client, name)) await moveJobs(client, name);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw new Error(`queue ${name} could not be moved into its own table: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
  await retryLocks(move, LOCK_RETRIES);
}

async function isShared(client: pg.Client, name: QueueName): Promise<boolean> {
  return (await client.query('SELECT 1 FROM pgboss.queue WHERE name = $1 AND NOT partition', [name])).rowCount === 1;
}

/**
 * pg-boss creates the table of a queue only together with the queue, so the queue is deleted and created again. A worker of
 * the previous version looks in the shared table until it reads the list of queues again, within a minute; it finds nothing
 * there, and the leases of its jobs expire.
 */
async function moveJobs(client: pg.Client, name: QueueName): Promise<void> {
  await client.query('CREATE UNLOGGED TABLE pgboss.moved_job (LIKE pgboss.job)');
  await client.query(
    'WITH gone AS (DELETE FROM pgboss.job WHERE name = $1 RETURNING *) INSERT INTO pgboss.moved_job SELECT * FROM gone',
    [name],
  );
  await client.query('DELETE FROM pgboss.queue WHERE name = $1', [name]);
  const options = { ...queueOptions(name), policy: 'standard', partition: true };
  await client.query('SELECT pgboss.create_queue($1, $2)', [name, options]);
  const { rows } = await client.query<{ grant: string }>(
    `SELECT format('GRANT SELECT, INSERT, UPDATE, DELETE ON pgboss.%I TO atelier_app', q.table_name) AS grant
     FROM pgboss.queue q JOIN pg_roles r ON r.rolname = 'atelier_app' WHERE q.name = $1`,
    [name],
  );
  for (const { grant } of rows) await client.query(grant);
  await client.query('INSERT INTO pgboss.job SELECT * FROM pgboss.moved_job');
  await client.query('DROP TABLE pgboss.moved_job');
}

/**
 * Without statistics the planner takes a new table for a small one whose rows are alike, until autovacuum has looked at it.
 * Finished jobs that only this transaction sees are analyzed and deleted again, so that the first busy minute is planned like
 * the later ones.
 */
async function seedStatistics(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `SELECT q.name, format('pgboss.%I', q.table_name) AS table FROM pgboss.queue q WHERE q.partition AND NOT EXISTS (
       SELECT 1 FROM pg_stats s WHERE s.schemaname = 'pgboss' AND s.tablename = q.table_name AND s.attname = 'id')`,
  );
  for (const { name, table } of rows) {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO ${table} (name, state, singleton_key, created_on, start_after, started_on, heartbeat_on, completed_on)
       SELECT $1, 'completed', 'statistics', at, at, at, at, at
       FROM generate_series(1, $2) AS n, LATERAL (SELECT now() - n * interval '1 second') AS t (at)`,
      [name, SAMPLE_JOBS],
    );
    await client.query(`ANALYZE ${table}`);
    await client.query(`DELETE FROM ${table} WHERE singleton_key = 'statistics' AND state = 'completed'`);
    await client.query('COMMIT');
  }
}
