import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { createSandboxDatabase, type SandboxDatabase } from '../../../../scripts/sandbox/create-sandbox-database.ts';
import { cloneTemplate } from '../../../../test/clone-template.ts';
import { migrate } from './migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));
const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();
/** The timeouts of the running service: what takes longer fails. */
const SERVICE = '-c lock_timeout=2000 -c statement_timeout=5000';
/** Longer than the timeouts of the service, so that a statement behind a waiting lock would fail. */
const READS_MS = 3_000;

const cleanups: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const each of cleanups.splice(0).reverse()) await each();
});

const run = (database: SandboxDatabase, folder?: string) => {
  const lines: string[] = [];
  const done = migrate({ databaseOwnerUrl: database.ownerUrl, faults: '' }, (line) => lines.push(line), folder);
  return { done, lines };
};

const { postgresUrl } = inject('services');
async function dropLater(made: Promise<SandboxDatabase>): Promise<SandboxDatabase> {
  const database = await made;
  cleanups.push(() => database.drop());
  return database;
}
const newDatabase = () => dropLater(createSandboxDatabase(postgresUrl));
const migratedDatabase = () => dropLater(cloneTemplate(postgresUrl, { durable: false }));

/** The folder of the migrations without some of its files, and with others. */
async function makeFolder(change: { without?: readonly string[]; add?: Readonly<Record<string, string>> }) {
  const folder = `${await mkdtemp(join(tmpdir(), 'atelier-migrations-'))}/`;
  cleanups.push(() => rm(folder, { recursive: true }));
  await cp(MIGRATIONS, folder, { recursive: true });
  for (const name of change.without ?? []) await rm(join(folder, name));
  for (const [name, text] of Object.entries(change.add ?? {})) await writeFile(join(folder, name), text);
  return folder;
}

async function connect(url: string, options = ''): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  cleanups.push(() => client.end().catch(() => {}));
  return client;
}

/** Holds the locks of a dump on every table until it is closed. */
async function openReader(database: SandboxDatabase): Promise<{ close(): Promise<void> }> {
  const client = await connect(database.ownerUrl);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query(`LOCK TABLE ${(await listTables(client)).join(', ')} IN ACCESS SHARE MODE`);
  return { close: async () => void (await client.query('COMMIT')) };
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'pgboss') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Reads and writes every table in turn, as the service locks them. */
async function startLoad(database: SandboxDatabase) {
  const failures: string[] = [];
  let [slowestMs, count, stopped] = [0, 0, false];
  const work = async (client: pg.Client, tables: readonly string[], mode: string) => {
    for (let n = 0; !stopped; n += 1) {
      const table = tables[n % tables.length];
      const startedMs = performance.now();
      try {
        await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE; COMMIT`);
      } catch (error) {
        failures.push(`${mode} of ${table}: ${(error as Error).message}`);
        await client.query('ROLLBACK').catch(() => {});
      }
      count += 1;
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      await sleep(2);
    }
  };
  const workers: Array<Promise<void>> = [];
  for (const mode of ['ACCESS SHARE', 'ROW EXCLUSIVE', 'ACCESS SHARE', 'ROW EXCLUSIVE']) {
    const client = await connect(database.ownerUrl, SERVICE);
    const tables = await listTables(client);
    workers.push(work(client, workers.length > 1 ? tables.toReversed() : tables, mode));
  }
  return {
    async stop() {
      stopped = true;
      await Promise.all(workers);
      expect(count).toBeGreaterThan(100);
      return { failures, slowestMs };
    },
  };
}

const appliedOf = async (database: SandboxDatabase) =>
  (
    await (await connect(database.ownerUrl)).query<{ name: string }>('SELECT name FROM migration ORDER BY name')
  ).rows.map(({ name }) => name);

async function expectNoFailure(database: SandboxDatabase, options: { folder?: string; expected: readonly string[] }) {
  const reader = await openReader(database);
  const load = await startLoad(database);
  const { done, lines } = run(database, options.folder);
  await sleep(READS_MS);
  const meanwhile = await appliedOf(database);
  await reader.close();
  const { applied } = await done;
  await sleep(200);
  const { failures, slowestMs } = await load.stop();
  expect(failures).toEqual([]);
  expect(slowestMs).toBeLessThan(1_500);
  expect(applied).toEqual(options.expected);
  return { lines, waited: options.expected.filter((name) => !meanwhile.includes(name)) };
}

test('behind an open reader: the newest migration fails no statement of the service', async () => {
  const newest = files.at(-1) as string;
  const database = await newDatabase();
  // The rights of the desk may name what the newest file creates.
  await run(database, await makeFolder({ without: [newest], add: { 'rights/desk.sql': '' } })).done;
  await expectNoFailure(database, { expected: [newest] });
}, 60_000);

test('behind an open reader: no kind of change fails a statement of the service', async () => {
  const database = await migratedDatabase();
  const owner = await connect(database.ownerUrl);
  await owner.query(
    `CREATE TABLE large (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text);
     INSERT INTO large (name) SELECT 'n' || n FROM generate_series(1, 5000) AS n`,
  );
  const changes = {
    '9001_column.sql': `ALTER TABLE large ADD COLUMN size bigint;
      ALTER TABLE generation ADD COLUMN note text;
      ALTER TABLE account ADD COLUMN note text;
      ALTER TABLE large ADD CONSTRAINT large_size CHECK (size >= 0) NOT VALID;`,
    '9002_trigger.sql': `CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
      CREATE TRIGGER large_pass BEFORE UPDATE ON large FOR EACH ROW EXECUTE FUNCTION pass();`,
    '9003_backfill.sql': `-- migrate: in batches
      UPDATE large SET size = length(name) WHERE id IN (SELECT id FROM large WHERE size IS NULL ORDER BY id LIMIT 1000);`,
    '9004_index.sql': `-- migrate: outside a transaction
      CREATE INDEX CONCURRENTLY IF NOT EXISTS large_by_size ON large (size);
      CREATE INDEX CONCURRENTLY IF NOT EXISTS generation_by_note ON generation (note);
      ALTER TABLE large VALIDATE CONSTRAINT large_size;`,
    '9005_reference.sql': `CREATE TABLE small (id bigint PRIMARY KEY REFERENCES large (id), account_id uuid REFERENCES account (id));`,
    '9006_drop.sql': `DROP INDEX large_by_size;`,
  };
  const { lines, waited } = await expectNoFailure(database, {
    folder: await makeFolder({ add: changes }),
    expected: Object.keys(changes),
  });
  expect(waited).toContain('9001_column.sql');
  expect(lines.some((line) => /^waiting for a lock for 9001_column\.sql, held by .*\d+/.test(line))).toBe(true);
  const { rows } = await owner.query(
    `SELECT count(*) FILTER (WHERE size IS NULL)::int AS empty,
       (SELECT bool_and(indisvalid) FROM pg_index WHERE indexrelid = 'generation_by_note'::regclass) AS "indexed",
       (SELECT convalidated FROM pg_constraint WHERE conname = 'large_size') AS validated FROM large`,
  );
  expect(rows).toEqual([{ empty: 0, indexed: true, validated: true }]);
}, 60_000);

test('an index that an interrupted migration left invalid is built anew', async () => {
  const database = await migratedDatabase();
  const owner = await connect(database.ownerUrl);
  await owner.query(
    `CREATE TABLE large (id bigint PRIMARY KEY, name text); INSERT INTO large VALUES (1, 'a'), (2, 'a')`,
  );
  await expect(owner.query('CREATE UNIQUE INDEX CONCURRENTLY large_name ON large (name)')).rejects.toThrow(
    'could not create',
  );
  await owner.query('DELETE FROM large WHERE id = 2');
  const text = `-- migrate: outside a transaction
    CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS large_name ON large (name);`;
  const { applied } = await run(database, await makeFolder({ add: { '9001_index.sql': text } })).done;
  expect(applied).toEqual(['9001_index.sql']);
  const { rows } = await owner.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'large_name'::regclass`,
  );
  expect(rows).toEqual([{ valid: true }]);
}, 60_000);
