import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@atelier/server/entry/migrate.ts';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount } from '../harness/account.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { startSteadyLoad } from '../harness/start-steady-load.ts';

const MIGRATIONS = fileURLToPath(new URL('../../packages/server/migrations/', import.meta.url));
/** Longer than a request may wait for a lock. */
const DUMP_MS = sized({ ci: 5_000, full: 35_000 });
const REQUESTS_PER_SECOND = 40;
/** One of each kind, on the tables that every request uses. */
const CHANGES: Readonly<Record<string, string>> = {
  '9001_columns.sql': `ALTER TABLE account ADD COLUMN note text;
    ALTER TABLE api_key ADD COLUMN note text;
    ALTER TABLE generation ADD COLUMN note text, ADD CONSTRAINT generation_note CHECK (length(note) < 9) NOT VALID;`,
  '9002_table.sql': `CREATE TABLE remark (id uuid PRIMARY KEY, account_id uuid REFERENCES account (id));`,
  '9003_backfill.sql': `-- migrate: in batches
    UPDATE account SET note = 'old' WHERE id IN (SELECT id FROM account WHERE note IS NULL ORDER BY id LIMIT 100);`,
  '9004_index.sql': `-- migrate: outside a transaction
    CREATE INDEX CONCURRENTLY IF NOT EXISTS generation_by_note ON generation (note);
    ALTER TABLE generation VALIDATE CONSTRAINT generation_note;`,
};

let stack: Stack;
let folder: string;

beforeAll(async () => {
  stack = await startStack({ services: inject('services') });
  folder = `${await mkdtemp(join(tmpdir(), 'atelier-migrations-'))}/`;
  await cp(MIGRATIONS, folder, { recursive: true });
  for (const [name, text] of Object.entries(CHANGES)) await writeFile(join(folder, name), text);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true });
});

test('migrate behind an open dump and under load fails no request', async () => {
  const account = await makeAccount(stack, { coins: 1_000_000, runLimit: 100, rateLimit: 1_000_000 });
  const dump = new pg.Client({ connectionString: stack.ownerUrl, application_name: 'dump' });
  await dump.connect();
  const load = startSteadyLoad({ url: stack.api().url, key: account.key, requestsPerSecond: REQUESTS_PER_SECOND });
  try {
    await sleep(500);
    await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await dump.query('LOCK TABLE account, api_key, generation, hold, transfer, asset IN ACCESS SHARE MODE');
    const lines: string[] = [];
    const migrated = migrate({ databaseOwnerUrl: stack.ownerUrl, faults: '' }, (line) => lines.push(line), folder);
    await sleep(DUMP_MS);
    expect(lines).toEqual([expect.stringMatching(/^waiting for a lock for 9001_columns\.sql, held by dump /)]);
    await dump.query('COMMIT');
    expect((await migrated).applied).toEqual(Object.keys(CHANGES));
    await sleep(500);
  } finally {
    await load.stop();
    await dump.end();
  }
  const failed = load.sent.filter(({ status }) => status !== 200 && status !== 201);
  const slowestMs = Math.round(Math.max(...load.sent.map(({ durationMs }) => durationMs)));
  console.log(`${load.sent.length} requests, ${failed.length} failed, the slowest took ${slowestMs} ms`);
  expect(failed).toEqual([]);
  expect(load.sent.length).toBeGreaterThan((DUMP_MS / 1000) * REQUESTS_PER_SECOND * 0.5);
  await stack.assertBooks();
});
