import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mainDirectives, pathDirectives, startNginx } from '@atelier/server/cdn/testing/start-nginx.ts';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Fence, readFences, whyNotRun } from '../../scripts/docs/read-fences.ts';
import { postgresDir } from '../../scripts/services/state.ts';
import { makeBucket, type OwnBucket } from '../files/own-bucket.ts';
import { type OwnPostgres, startOwnPostgres } from '../harness/start-own-postgres.ts';
import { runBlocks } from './run-blocks.ts';

const README = new URL('../../docs/operate/README.md', import.meta.url);
const EDGE = new URL('../../docs/operate/edge/README.md', import.meta.url);
const TIMEOUT_MS = 170_000;
const WAV = 'RIFF';

let postgres: OwnPostgres;
let bucket: OwnBucket;
let scratch: string;

beforeEach(async () => {
  const services = inject('services');
  scratch = await mkdtemp(join(tmpdir(), 'atelier-docs-'));
  bucket = await makeBucket(services, { create: false });
  postgres = await startOwnPostgres(services);
  await requirePasswords(postgres);
});
afterEach(async () => {
  await postgres.stop();
  await bucket.drop();
  await rm(scratch, { recursive: true, force: true });
});

/** Like a PostgreSQL outside of tests: only the local superuser logs in without a password. */
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

/** The settings that the page asks for: only server addresses. */
function environment(): Record<string, string> {
  const { s3, redisUrl, ports } = postgres.services;
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: scratch,
    TMPDIR: scratch,
    POSTGRES_HOST: `127.0.0.1:${ports.postgres}`,
    AS_SUPERUSER: `env PGHOST=127.0.0.1 PGPORT=${ports.postgres} PGUSER=postgres`,
    REDIS_URL: redisUrl,
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: bucket.name,
    S3_ACCESS_KEY: s3.accessKey,
    S3_SECRET_KEY: s3.secretKey,
  };
}

const readBlocks = async (page: URL): Promise<Fence[]> =>
  readFences(await readFile(page, 'utf8')).filter(({ language }) => language === 'sh');

const firstStart = async () =>
  (await readBlocks(README)).filter((block) => block.section === 'First start' && whyNotRun(block) === null);

test('the commands of docs/operate lead from an empty PostgreSQL to a paid generation with four processes', async () => {
  const blocks = await firstStart();
  expect(blocks.length).toBeGreaterThan(7);
  // A guide that turns a protection off leaves it off.
  const unsafe = /SAFETY_\w+=(off|flag)|MEDIA_SANDBOX=none|ALLOW_FAULTS|WEBHOOK_ALLOW_HTTP=true/;
  expect((await readFile(README, 'utf8')).match(unsafe)).toBeNull();
  const { code, output } = await runBlocks(blocks, { env: environment(), timeoutMs: TIMEOUT_MS });
  expect(code, output).toBe(0);
  expect((await readFile(join(scratch, 'voice.wav'))).subarray(0, 4).toString()).toBe(WAV);
  expect(
    await query('SELECT kind, amount::int FROM transfer WHERE generation_id IS NOT NULL ORDER BY id', 'atelier'),
  ).toEqual([
    { kind: 'hold', amount: 2 },
    { kind: 'capture', amount: 2 },
  ]);
  expect(
    await query(
      `SELECT rolname, rolsuper OR rolcreaterole OR rolcreatedb AS mighty FROM pg_roles WHERE rolname LIKE 'atelier%' ORDER BY 1`,
    ),
  ).toEqual([
    { rolname: 'atelier', mighty: false },
    { rolname: 'atelier_app', mighty: false },
    { rolname: 'atelier_desk', mighty: false },
    { rolname: 'atelier_operator', mighty: false },
    { rolname: 'atelier_owner', mighty: false },
  ]);
});

test('the commands of docs/operate/edge work: nginx with the printed keys serves the output of the first start', async () => {
  const env = {
    ...environment(),
    MASTER_KEY: randomBytes(32).toString('base64'),
    EDGE_SECRET: randomBytes(32).toString('hex'),
    EDGE_DIR: join(scratch, 'edge'),
  };
  const setUp = await runBlocks(await readBlocks(EDGE), { env, timeoutMs: TIMEOUT_MS });
  expect(setUp.code, setUp.output).toBe(0);
  const names = ['sign.js', 'link-keys.json', 'edge-secret.conf'];
  const files = await Promise.all(names.map(async (name) => [name, await readFile(join(env.EDGE_DIR, name))] as const));
  const shipped = await readFile(join(env.EDGE_DIR, 'nginx.conf'), 'utf8');
  // Paths and port of this test; the address of the cdn role is as on the page.
  const edge = await startNginx({
    config: ({ port, dir }) =>
      shipped
        .replace('user www-data;', mainDirectives(dir))
        .replace('pid /run/nginx.pid;', '')
        .replace('error_log /var/log/nginx/error.log warn;', '')
        .replace('access_log /var/log/nginx/files.log files;', pathDirectives(dir))
        .replaceAll('/etc/atelier-edge/', `${dir}/`)
        .replace('/var/cache/nginx/files', `${dir}/cache`)
        .replace('listen 8082;', `listen 127.0.0.1:${port};`),
    files: Object.fromEntries(files),
  });
  try {
    expect(await readdir(join(edge.dir, 'cache'))).toEqual([]);
    const { code, output } = await runBlocks(await firstStart(), {
      env: { ...env, CDN_URL: `http://127.0.0.1:${edge.port}` },
      timeoutMs: TIMEOUT_MS,
    });
    expect(code, output + (await edge.errors())).toBe(0);
    expect((await readFile(join(scratch, 'voice.wav'))).subarray(0, 4).toString()).toBe(WAV);
    expect(await readdir(join(edge.dir, 'cache'))).not.toEqual([]);
  } finally {
    await edge.close();
  }
});
