import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { faultPoint } from '../platform/fault-point.ts';
import { retryLocks } from '../platform/retry-locks.ts';

/** The first line of a file that does not run in one transaction. `test/tidy/migration-rules.ts` has the rules of each kind. */
const KINDS = {
  '-- migrate: outside a transaction': 'outside',
  '-- migrate: in batches': 'batches',
} as const;
export type MigrationKind = (typeof KINDS)[keyof typeof KINDS] | 'transaction';

export interface MigrationFile {
  readonly name: string;
  readonly text: string;
}

/** Requests behind a waiting lock wait too. Theirs end after two seconds, so this one gives up long before and lets them pass. */
const LOCK_TIMEOUT_MS = 300;
const LOCK_PAUSE_MS = 1_000;
/** A dump of a large database. */
const LOCK_LIMIT_MS = 60 * 60_000;
const REPORT_EVERY_MS = 30_000;
/** Between two batches requests get the rows and the disk. */
const BATCH_PAUSE_MS = 20;

export function findKind(text: string): MigrationKind {
  const [first = ''] = text.split('\n', 1);
  return KINDS[first.trim() as keyof typeof KINDS] ?? 'transaction';
}

/** The statements of a file, without comments. Files that are split have no semicolon within a statement. */
export function splitStatements(text: string): string[] {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .split(';')
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Applies a file and records it, while the service runs and somebody reads the tables for as long as a dump takes. */
export async function applyMigration(
  client: pg.Client,
  file: MigrationFile,
  report: (line: string) => void,
): Promise<void> {
  const kind = findKind(file.text);
  const record = () => client.query('INSERT INTO migration (name) VALUES ($1)', [file.name]);
  let toldMs = -REPORT_EVERY_MS;
  const retry = <T>(work: () => Promise<T>) =>
    retryLocks(work, {
      limitMs: LOCK_LIMIT_MS,
      pauseMs: LOCK_PAUSE_MS,
      onWait: async () => {
        if (performance.now() - toldMs < REPORT_EVERY_MS) return;
        toldMs = performance.now();
        report(`waiting for a lock for ${file.name}, held by ${await describeTransactions(client)}`);
      },
    });
  if (kind === 'transaction') {
    await retry(() =>
      inTransaction(client, `migration ${file.name}`, async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        await client.query(file.text);
        await faultPoint('boot.mid-migration');
        await record();
      }),
    );
    return;
  }
  try {
    if (kind === 'outside') for (const each of splitStatements(file.text)) await retry(() => runAlone(client, each));
    else await runBatches(client, file.text, retry);
    await faultPoint('boot.mid-migration');
    await record();
  } catch (error) {
    throw new Error(`migration ${file.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * One statement that builds or validates while others read and write. It may wait without a timeout: nobody waits behind its
 * lock. An index that an interrupted run left invalid is dropped first.
 */
async function runAlone(client: pg.Client, statement: string): Promise<void> {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  if (index !== undefined) {
    const { rowCount } = await client.query(
      'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [index],
    );
    if (rowCount === 1) await client.query(`DROP INDEX CONCURRENTLY ${index}`);
  }
  await client.query(statement);
}

/** Repeats a statement that changes a limited number of rows, each time in a transaction of its own, until none is left. */
async function runBatches(
  client: pg.Client,
  statement: string,
  retry: <T>(work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    while (((await retry(() => client.query(statement))).rowCount ?? 0) > 0) await sleep(BATCH_PAUSE_MS);
  } finally {
    await client.query('RESET lock_timeout');
  }
}

export async function inTransaction(client: pg.Client, what: string, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new Error(`${what} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** The longest transactions that the owner may see. */
async function describeTransactions(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `SELECT pid, coalesce(nullif(application_name, ''), usename::text) AS name,
       round(extract(epoch FROM clock_timestamp() - xact_start))::integer AS seconds
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
     ORDER BY xact_start LIMIT 3`,
  );
  if (rows.length === 0) return 'a transaction that ended meanwhile';
  return rows.map(({ pid, name, seconds }) => `${name} (process ${pid}, open for ${seconds} s)`).join(', or ');
}
