import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { createSandboxDatabase, type SandboxDatabase } from '../../../../scripts/sandbox/create-sandbox-database.ts';
import { migrate } from './migrate.ts';
import { describeCatalog } from './testing/describe-catalog.ts';

const services = inject('services');
/** What `main.ts migrate` runs, without loading the rest of the service. */
const PROGRAM = `
  import { readConfig } from '${new URL('./config/config.ts', import.meta.url)}';
  import { migrate } from '${new URL('./migrate.ts', import.meta.url)}';
  console.log(JSON.stringify(await migrate(readConfig(), () => {})));
`;
const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const FIRST_RELEASE = await readFile(new URL('testing/first-release.sql', MIGRATIONS), 'utf8');
const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort();

/** The catalog of an empty database after one run. Every other path to this version must end with the same. */
let freshCatalog: string[] = [];

const databases: SandboxDatabase[] = [];
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

async function newDatabase(): Promise<SandboxDatabase> {
  const database = await createSandboxDatabase(services.postgresUrl);
  databases.push(database);
  return database;
}

const run = (database: SandboxDatabase) => migrate({ databaseOwnerUrl: database.ownerUrl, faults: '' }, () => {});

async function connect<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const query = <R extends pg.QueryResultRow>(url: string, text: string) =>
  connect(url, async (client) => (await client.query<R>(text)).rows);

const catalogOf = (database: SandboxDatabase) => connect(database.ownerUrl, describeCatalog);

const namesOf = async (database: SandboxDatabase) =>
  (await query<{ name: string }>(database.ownerUrl, 'SELECT name FROM migration ORDER BY name')).map(
    ({ name }) => name,
  );

/** In a separate process, with the settings of an operator. */
function startMigrate(database: SandboxDatabase, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: database.appUrl,
      DATABASE_OWNER_URL: database.ownerUrl,
      REDIS_URL: services.redisUrl,
      MASTER_KEY: randomBytes(32).toString('base64'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const ended = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });

test('migrates an empty database to the last file, and a second run changes nothing', async () => {
  const database = await newDatabase();
  expect(await run(database)).toEqual({ applied: files, version: files.at(-1) });
  freshCatalog = await catalogOf(database);
  expect(freshCatalog.length).toBeGreaterThan(100);
  expect(await run(database)).toEqual({ applied: [], version: files.at(-1) });
  expect(await catalogOf(database)).toEqual(freshCatalog);
  expect(await namesOf(database)).toEqual(files);
});

test('changed functions are replaced, also with changed arguments, and no old version remains', async () => {
  const database = await newDatabase();
  await run(database);
  await query(
    database.ownerUrl,
    `CREATE OR REPLACE FUNCTION close_hold(p_generation uuid, p_charged bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
     CREATE FUNCTION close_hold(p_generation uuid) RETURNS void LANGUAGE plpgsql AS $$ BEGIN END $$;
     UPDATE function_set SET hash = 'of another version'`,
  );
  expect((await run(database)).applied).toEqual([]);
  expect(await catalogOf(database)).toEqual(freshCatalog);
});

test('a database of the first release is upgraded to the catalog of a fresh one', async () => {
  const database = await newDatabase();
  await query(database.ownerUrl, FIRST_RELEASE);
  const { applied } = await run(database);
  expect(applied).toEqual(files.filter((name) => name > '0008_offers.sql'));
  expect(await catalogOf(database)).toEqual(freshCatalog);
});

test('an upgrade splits the target from the handle of every run, also of ended ones', async () => {
  const database = await newDatabase();
  await query(database.ownerUrl, FIRST_RELEASE);
  await query(
    database.ownerUrl,
    `INSERT INTO account (id, owner_id, mode, name, run_limit) VALUES (gen_random_uuid(), gen_random_uuid(), 'live', 'old', 2);
     INSERT INTO generation (id, account_id, idempotency_key, fingerprint, model_id, model_name, task_type, modality, workspace, params,
         status, admitted, pool, coins_quoted, coins_per_output, outputs_requested, pricebook_version, deadline_seconds, created_at,
         completed_at, coins_charged, provider_handle)
       SELECT gen_random_uuid(), a.id, g.key, '', 'm', 'M', 't', 'image', 'image', '{}', g.status, true, 'run-remote', 1, 1, 1, '1', 60, now(),
         g.ended, g.charged, g.packed
       FROM account a, (VALUES ('a', 'processing', NULL, NULL, 'comfyui/studio prompt 1'), ('b', 'succeeded', now(), 1, 'cog/main p2'),
         ('c', 'processing', NULL, NULL, NULL)) AS g (key, status, ended, charged, packed)`,
  );
  await run(database);
  const rows = await query(
    database.ownerUrl,
    'SELECT submitted_target AS target, submitted_handle AS handle FROM generation ORDER BY idempotency_key',
  );
  expect(rows).toEqual([
    { target: 'comfyui/studio', handle: 'prompt 1' },
    { target: 'cog/main', handle: 'p2' },
    { target: null, handle: null },
  ]);
});

test('four concurrent runs are serialized: each file is applied once', async () => {
  const database = await newDatabase();
  const reports = await Promise.all(Array.from({ length: 4 }, () => run(database)));
  expect(reports.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 0, files.length]);
  expect(await namesOf(database)).toEqual(files);
});

test.each([1, 3])('killed inside file %i, it leaves no file half applied, and the next run completes', async (nth) => {
  const killed = await newDatabase();
  const child = startMigrate(killed, { ALLOW_FAULTS: 'true', FAULT: `boot.mid-migration:kill:${nth}` });
  expect(await ended(child)).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await namesOf(killed)).toEqual(files.slice(0, nth - 1));
  expect(await run(killed)).toEqual({ applied: files.slice(nth - 1), version: files.at(-1) });
  expect(await catalogOf(killed)).toEqual(freshCatalog);
});

test('a fault is ignored unless faults are allowed', async () => {
  const database = await newDatabase();
  const child = startMigrate(database, { FAULT: 'boot.mid-migration:kill:1' });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  expect(await ended(child)).toEqual({ code: 0, signal: null });
  expect(JSON.parse(output)).toEqual({ applied: files, version: files.at(-1) });
});

test('a file that fails leaves no changes, and the error names it', async () => {
  const database = await newDatabase();
  await query(database.ownerUrl, 'CREATE TABLE transfer (id integer)');
  await expect(run(database)).rejects.toThrow(/^migration 0002_ledger.sql failed: relation "transfer" already exists/);
  expect(await namesOf(database)).toEqual(files.slice(0, 1));
  await query(database.ownerUrl, 'DROP TABLE transfer');
  expect((await run(database)).applied).toEqual(files.slice(1));
});
