import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { installEngine } from '../engine/create-boss.ts';
import { armFaults, faultPoint } from '../platform/fault-point.ts';
import type { Config } from './config.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
/** Any number, as long as it stays the same: two migrations at once take turns. */
const LOCK_ID = 723_400_118;

export interface MigrationReport {
  readonly applied: readonly string[];
  readonly version: string;
}

/**
 * Brings the database to this version: the engine's schema first, since our functions name it, then every numbered file
 * that is not yet there, each in a transaction of its own. Forward only, and safe to run twice or at once.
 */
export async function migrate(
  config: Pick<Config, 'databaseOwnerUrl' | 'faults'>,
  report: (line: string) => void,
): Promise<MigrationReport> {
  if (config.faults !== '') armFaults(config.faults);
  const client = new pg.Client({ connectionString: config.databaseOwnerUrl, application_name: 'atelier-migrate' });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    await installEngine(config.databaseOwnerUrl);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const known = new Set(
      (await client.query<{ name: string }>('SELECT name FROM migration')).rows.map((row) => row.name),
    );
    const files = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
    const applied: string[] = [];
    for (const name of files) {
      if (known.has(name)) continue;
      await client.query('BEGIN');
      try {
        await client.query(await readFile(`${MIGRATIONS}${name}`, 'utf8'));
        await faultPoint('boot.mid-migration');
        await client.query('INSERT INTO migration (name) VALUES ($1)', [name]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {});
        throw new Error(`migration ${name} failed: ${(error as Error).message}`, { cause: error });
      }
      applied.push(name);
      report(`applied ${name}`);
    }
    // A restored copy runs this first: its events come behind those of the original.
    await client.query('SELECT check_event_epoch()');
    await grantEngine(client);
    return { applied, version: files.at(-1) ?? 'none' };
  } finally {
    await client.end();
  }
}

/** The running service uses the engine's tables and may add none. */
async function grantEngine(client: pg.Client): Promise<void> {
  await client.query(`GRANT USAGE ON SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA pgboss TO atelier_app`);
  await client.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgboss TO atelier_app`);
}
