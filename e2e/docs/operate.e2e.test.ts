import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { postgresDir } from '../../scripts/services/state.ts';
import { makeBucket, type OwnBucket } from '../files/own-bucket.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { readBlocks } from './read-blocks.ts';
import { runBlocks } from './run-blocks.ts';

const README = new URL('../../docs/operate/README.md', import.meta.url);
const TIMEOUT_MS = 170_000;
const JPEG = 'ffd8ff';

let postgres: OwnPostgres;
let bucket: OwnBucket;
let scratch: string;

beforeEach(async () => {
  const services = inject('services');
  scratch = await mkdtemp(join(tmpdir(), 'atelier-docs-'));
  bucket = await makeBucket(services);
  postgres = await startOwnPostgres(services);
  await requirePasswords(postgres);
});
afterEach(async () => {
  await postgres.stop();
  await bucket.drop();
  await rm(scratch, { recursive: true, force: true });
});

/** As PostgreSQL is set up outside of tests: only the superuser of this machine comes in without a password. */
async function requirePasswords({ services }: OwnPostgres): Promise<void> {
  await writeFile(
    join(postgresDir(services), 'pg_hba.conf'),
    'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
  );
  await query('SELECT pg_reload_conf()');
}

async function query<R extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<R[]> {
  const url = new URL(postgres.services.postgresUrl);
  url.pathname = `/${database}`;
  const connection = new pg.Client({ connectionString: String(url) });
  await connection.connect();
  try {
    return (await connection.query<R>(text)).rows;
  } finally {
    await connection.end();
  }
}

/** What the page asks the reader to set: addresses of servers, and nothing else. */
function environment(): Record<string, string> {
  const { s3, redisUrl, ports } = postgres.services;
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: scratch,
    TMPDIR: scratch,
    POSTGRES_HOST: `127.0.0.1:${ports.postgres}`,
    REDIS_URL: redisUrl,
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: bucket.name,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  };
}

test('docs/operate followed to the letter leads from an empty PostgreSQL to a paid generation with three processes', async () => {
  const blocks = (await readBlocks(README)).filter(({ section }) => section === 'First start');
  expect(blocks.length).toBeGreaterThan(8);
  const { code, output } = await runBlocks(blocks, { env: environment(), timeoutMs: TIMEOUT_MS });
  expect(code, output).toBe(0);
  expect((await readFile(join(scratch, 'lake.jpg'))).subarray(0, 3).toString('hex')).toBe(JPEG);
  expect(
    await query('SELECT kind, amount::int FROM transfer WHERE generation_id IS NOT NULL ORDER BY id', 'atelier'),
  ).toEqual([
    { kind: 'hold', amount: 3 },
    { kind: 'capture', amount: 3 },
  ]);
  expect(
    await query(
      `SELECT rolname, rolsuper OR rolcreaterole OR rolcreatedb AS mighty FROM pg_roles WHERE rolname LIKE 'atelier%' ORDER BY 1`,
    ),
  ).toEqual([
    { rolname: 'atelier', mighty: false },
    { rolname: 'atelier_app', mighty: false },
    { rolname: 'atelier_owner', mighty: false },
  ]);
});
