import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { HALF_OPEN_GUARD } from '../platform/db.ts';
import { armFaults } from '../platform/fault-point.ts';
import { installQueues } from '../queue/install-queues.ts';
import { applyMigration, inTransaction } from './apply-migration.ts';
import { type Config, ConfigError } from './config/config.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
/** Functions that tables use in triggers and defaults: they must exist before the tables. */
const GUARDS = 'guards.sql';
/** An arbitrary constant: this lock serializes concurrent migrations. */
const LOCK_ID = 723_400_118;
const LOCK_POLL_MS = 200;

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly version: string;
}

/**
 * Brings the database to this version: the schema of the queue first, since our functions name it, then every numbered file
 * that is not applied yet, then all functions in one transaction if their text changed.
 * Forward only, and safe to run twice or at once.
 */
export async function migrate(
  config: Pick<Config, 'databaseOwnerUrl' | 'faults'>,
  report: (line: string) => void,
  folder = MIGRATIONS,
): Promise<MigrationReport> {
  if (config.faults !== '') armFaults(config.faults);
  const client = new pg.Client({
    connectionString: config.databaseOwnerUrl,
    application_name: 'atelier-migrate',
    ...HALF_OPEN_GUARD,
  });
  await client.connect();
  try {
    await requireGroup(client);
    await lockMigrations(client, report);
    await installQueues(config.databaseOwnerUrl);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const known = new Set(
      (await client.query<{ name: string }>('SELECT name FROM migration')).rows.map((row) => row.name),
    );
    const functions = await readFunctions(`${folder}functions/`);
    const changed = !(await hasFunctions(client, functions));
    if (changed) {
      await client.query('SET check_function_bodies = off');
      await client.query(functions.guards);
      await client.query('RESET check_function_bodies');
    }
    const files = (await readdir(folder)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
    const applied: string[] = [];
    for (const name of files) {
      if (known.has(name)) continue;
      await applyMigration(client, { name, text: await readFile(`${folder}${name}`, 'utf8') }, report);
      applied.push(name);
      report(`applied ${name}`);
    }
    if (changed) {
      await inTransaction(client, 'replacing the functions', () => replaceFunctions(client, functions));
      report('replaced the functions');
    }
    // A restored copy runs this first, so that its events follow those of the original.
    await client.query('SELECT check_event_epoch()');
    await inTransaction(client, 'granting the functions', () => grantFunctions(client));
    await grantEngine(client);
    await grantDesk(client, folder);
    return { applied, version: files.at(-1) ?? 'none' };
  } finally {
    await client.end();
  }
}

/**
 * Asks again and again. A statement that waited for the lock would be a transaction older than the index that the other run
 * builds, and that run waits for such transactions.
 */
async function lockMigrations(client: pg.Client, report: (line: string) => void): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LOCK_ID]);
    if (rows[0]?.locked === true) return;
    if (tries === 0) report('waiting for another migration');
    await sleep(LOCK_POLL_MS);
  }
}

/** If the group exists, the owner needs no right to create roles. */
async function requireGroup(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ possible: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_app')
       OR EXISTS (SELECT 1 FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolcreaterole)) AS possible`,
  );
  if (rows[0]?.possible !== true) {
    throw new ConfigError('The role atelier_app does not exist. Run deploy/roles.sql as a superuser first');
  }
}

interface FunctionFiles {
  readonly hash: string;
  readonly guards: string;
  readonly all: string;
  /** Every function that the files define. */
  readonly names: readonly string[];
}

async function readFunctions(folder: string): Promise<FunctionFiles> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const texts = await Promise.all(names.map((name) => readFile(`${folder}${name}`, 'utf8')));
  const all = texts.join('\n');
  return {
    hash: createHash('sha256').update(all).digest('hex'),
    guards: texts[names.indexOf(GUARDS)] ?? '',
    all,
    names: Array.from(all.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)/gm), ([, name]) => name as string),
  };
}

async function hasFunctions(client: pg.Client, { hash }: FunctionFiles): Promise<boolean> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS function_set (single boolean PRIMARY KEY DEFAULT true CHECK (single), hash text NOT NULL)',
  );
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM function_set');
  return rows[0]?.hash === hash;
}

/**
 * A function whose arguments changed would not replace its old version, so old versions are dropped. Guards stay: triggers and
 * defaults use them, and they have no arguments. A function that no file defines any more is dropped by a numbered file.
 */
async function replaceFunctions(client: pg.Client, functions: FunctionFiles): Promise<void> {
  const { rows } = await client.query<{ signature: string }>(
    `SELECT p.oid::regprocedure AS signature FROM pg_proc p
     WHERE p.pronamespace = 'public'::regnamespace AND p.proname = ANY ($1) AND p.prorettype <> 'trigger'::regtype
       AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)`,
    [functions.names],
  );
  for (const { signature } of rows) await client.query(`DROP FUNCTION ${signature}`);
  await client.query(functions.all);
  await grantFunctions(client);
  await client.query(
    'INSERT INTO function_set (hash) VALUES ($1) ON CONFLICT (single) DO UPDATE SET hash = excluded.hash',
    [functions.hash],
  );
}

/** PostgreSQL lets everybody execute a new function, and some of these run with the rights of the owner. */
async function grantFunctions(client: pg.Client): Promise<void> {
  await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
  await client.query('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO atelier_app');
}

/** The running service uses the queue's tables and may add none. */
async function grantEngine(client: pg.Client): Promise<void> {
  await client.query(`GRANT USAGE ON SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgboss TO atelier_app`);
}

/** The group of the desk may be created later than the tables, so its rights do not belong to a numbered file. */
async function grantDesk(client: pg.Client, folder: string): Promise<void> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_roles WHERE rolname = 'atelier_desk'`);
  if (rowCount === 0) return;
  const rights = await readFile(`${folder}rights/desk.sql`, 'utf8');
  await inTransaction(client, 'granting the rights of the desk', async () => void (await client.query(rights)));
}
