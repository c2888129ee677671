import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { verifyBooks } from '../packages/server/src/domain/ledger/verify-books.ts';
import { migrate } from '../packages/server/src/entry/migrate.ts';
import { createDb, type Db } from '../packages/server/src/platform/db.ts';
import { createSandboxDatabase } from '../scripts/sandbox/create-sandbox-database.ts';

export interface TestDatabase {
  /** As the running service. */
  readonly db: Db;
  /** As the owner of the tables. */
  readonly owner: Db;
  readonly url: string;
}

const SERVER = fileURLToPath(new URL('../packages/server/', import.meta.url));
const TEMPLATE_PREFIX = 'atelier_template_';
const TEMPLATE_LIFE_MINUTES = 60;
const DIGEST_LENGTH = 16;
/** Any number, as long as it stays the same: one process at a time makes or copies a template. */
const LOCK_ID = 723_400_119;
const DEFAULT_CONNECTIONS = 20;
const STATEMENT_TIMEOUT_MS = 20_000;

/**
 * A migrated database of the test file's own, a clone of the template. After each test the books must be in order and every
 * connection given back; after the last one the clone is gone.
 */
export async function openTestDatabase(options: { connections?: number } = {}): Promise<TestDatabase> {
  const clone = await cloneTemplate(inject('services').postgresUrl);
  const open = (url: string, maxConnections: number) =>
    createDb({ url, applicationName: 'db-test', maxConnections, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  const db = open(clone.appUrl, options.connections ?? DEFAULT_CONNECTIONS);
  const owner = open(clone.ownerUrl, 3);
  afterEach(async () => {
    expect.soft(await findBrokenInvariants(owner)).toEqual([]);
    for (const { pool } of [db, owner]) expect.soft(pool.totalCount - pool.idleCount, 'connections still out').toBe(0);
  });
  afterAll(async () => {
    await Promise.all([db.pool.end(), owner.pool.end()]);
    await clone.drop();
  });
  return { db, owner, url: clone.appUrl };
}

/** Each broken invariant as a line that says which rows break it. */
export async function findBrokenInvariants(db: Db): Promise<string[]> {
  const checks = await verifyBooks({ db });
  return checks
    .filter((check) => check.violations > 0)
    .map((check) => `${check.id} ${check.claim}: ${check.violations} ${JSON.stringify(check.first.slice(0, 3))}`);
}

async function cloneTemplate(postgresUrl: string) {
  const template = `${TEMPLATE_PREFIX}${await digestSchema()}`;
  const name = `atelier_db_test_${randomBytes(5).toString('hex')}`;
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (known.rowCount === 0) await makeTemplate(client, { postgresUrl, template });
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // Tests prove what commits, not what survives a crash of the server.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  } finally {
    await client.end();
  }
  const urlAs = (user: string | null) => {
    const url = new URL(postgresUrl);
    url.pathname = `/${name}`;
    if (user !== null) url.username = user;
    return String(url);
  };
  return {
    ownerUrl: urlAs(null),
    appUrl: urlAs('atelier_service'),
    drop: () => run(postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Named by what makes it, so a run migrates once and the next run of the same tree not at all. */
async function digestSchema(): Promise<string> {
  const migrations = (await readdir(`${SERVER}migrations`)).sort().map((name) => `migrations/${name}`);
  const hash = createHash('sha256');
  for (const path of [...migrations, 'src/engine/queues.ts', 'src/engine/create-boss.ts', 'src/entry/migrate.ts']) {
    hash.update(`${path}\0`).update(await readFile(`${SERVER}${path}`));
  }
  return hash.digest('hex').slice(0, DIGEST_LENGTH);
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
