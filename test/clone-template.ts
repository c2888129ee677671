import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../packages/server/src/entry/migrate.ts';
import {
  createSandboxDatabase,
  openSandboxDatabase,
  type SandboxDatabase,
} from '../scripts/sandbox/create-sandbox-database.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEMPLATE_PREFIX = 'atelier_template_';
const TEMPLATE_LIFE_MINUTES = 60;
const DIGEST_LENGTH = 16;
/** Advisory lock: only one process at a time creates or copies a template. The number is arbitrary. */
const LOCK_ID = 723_400_119;

/**
 * Clones the migrated template database. The first caller creates the template. A clone that is not durable may lose commits when the
 * server crashes, and commits faster.
 */
export async function cloneTemplate(postgresUrl: string, { durable }: { durable: boolean }): Promise<SandboxDatabase> {
  const template = await nameTemplate(ROOT);
  const name = `atelier_db_test_${randomBytes(5).toString('hex')}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (known.rowCount === 0) await makeTemplate(client, { postgresUrl, template });
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    if (!durable) await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  } finally {
    await client.end();
  }
  return openSandboxDatabase(postgresUrl, name);
}

/** Drops the template of a working tree that is no longer needed. */
export async function dropTemplate(postgresUrl: string, root: string): Promise<void> {
  await run(postgresUrl, `DROP DATABASE IF EXISTS ${await nameTemplate(root)} WITH (FORCE)`);
}

/** Named by a hash of its sources, so that runs of the same working tree migrate only once. */
async function nameTemplate(root: string): Promise<string> {
  const server = join(root, 'packages/server');
  const migrations = (await readdir(join(server, 'migrations'), { recursive: true }))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => `migrations/${name}`);
  const hash = createHash('sha256');
  for (const path of [
    ...migrations,
    'src/queue/queues.ts',
    'src/queue/install-queues.ts',
    'src/entry/migrate.ts',
    'src/entry/apply-migration.ts',
  ]) {
    hash.update(`${path}\0`).update(await readFile(join(server, path)));
  }
  return `${TEMPLATE_PREFIX}${hash.digest('hex').slice(0, DIGEST_LENGTH)}`;
}

async function makeTemplate(client: pg.Client, options: { postgresUrl: string; template: string }): Promise<void> {
  const { template } = options;
  const stale = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE datname LIKE $1
       AND (datname LIKE '%_unfinished' OR shobj_description(oid, 'pg_database')::timestamptz < now() - $2 * interval '1 minute')`,
    [`${TEMPLATE_PREFIX}%`, TEMPLATE_LIFE_MINUTES],
  );
  for (const { datname } of stale.rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  const unfinished = `${template}_unfinished`;
  const made = await createSandboxDatabase(options.postgresUrl, unfinished);
  await migrate({ databaseOwnerUrl: made.ownerUrl, faults: '' }, () => {});
  await client.query(`COMMENT ON DATABASE ${unfinished} IS '${new Date().toISOString()}'`);
  await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
