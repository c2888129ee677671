import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createSandboxDatabase, type SandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { runMain } from './run-main.ts';

let stack: Stack;
let empty: SandboxDatabase;
let taken: Server;
let takenPort: number;
let scratch: string;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
  empty = await createSandboxDatabase(inject('services').postgresUrl);
  scratch = stack.env.TMPDIR as string;
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  takenPort = (taken.address() as { port: number }).port;
});
afterAll(async () => {
  await new Promise((resolve) => taken.close(resolve));
  await empty.drop();
  await stack.stop();
});

/** Starts a role that must fail with exit code 1 and one line. Returns the line. */
async function refuse(role: string, changes: Record<string, string>): Promise<string> {
  const [port, cdnPort, metricsPort] = await freePorts(3);
  const env = { ...stack.env, PORT: `${port}`, CDN_PORT: `${cdnPort}`, METRICS_PORT: `${metricsPort}`, ...changes };
  const { code, stderr } = await runMain([role], env);
  expect(code, stderr).toBe(1);
  expect(stderr.trimEnd().split('\n'), stderr).toHaveLength(1);
  expect((await readdir(scratch)).filter((name) => name.startsWith('atelier-spool-'))).toEqual([]);
  return stderr.trimEnd();
}

async function backendsFile(text: string): Promise<string> {
  const path = join(scratch, 'backends.yaml');
  await writeFile(path, text);
  return path;
}

describe('a process that cannot start exits with code 1 and one clear line', () => {
  test('wrong backends file', async () => {
    expect(await refuse('worker', { BACKENDS_FILE: '/nowhere/backends.yaml' })).toBe(
      'atelier worker: BACKENDS_FILE: cannot read /nowhere/backends.yaml (ENOENT)',
    );
    const file = await backendsFile('backends: [{ name: studio, provider: nobody, url: "http://127.0.0.1:1" }]\n');
    expect(await refuse('worker', { BACKENDS_FILE: file })).toMatch(
      /^atelier worker: BACKENDS_FILE .*backends.0.provider: must be one of openai, comfyui/,
    );
  });

  test('missing backend secret', async () => {
    const file = await backendsFile(
      'backends: [{ name: studio, provider: fal, url: "http://127.0.0.1:1", apiKey: STUDIO_KEY }]\n',
    );
    expect(await refuse('worker', { BACKENDS_FILE: file })).toMatch(/studio\): the secret STUDIO_KEY is not set$/);
  });

  test.each([
    ['api', 'PORT'],
    ['cdn', 'CDN_PORT'],
    ['worker', 'METRICS_PORT'],
  ])('port taken: %s, %s', async (role, setting) => {
    expect(await refuse(role, { [setting]: String(takenPort) })).toBe(
      `atelier ${role}: ${setting}: 127.0.0.1:${takenPort} is in use by another process`,
    );
  });

  test('links that redirect to a directory', async () => {
    const directory = { OBJECT_STORE: 'directory', OBJECT_STORE_PATH: scratch, LINK_MODE: 'redirect' };
    expect(await refuse('cdn', directory)).toBe(
      'atelier cdn: LINK_MODE=redirect needs OBJECT_STORE=s3: a directory cannot serve files by itself',
    );
  });

  test('wrong role', async () => {
    expect(await refuse('wroker', {})).toMatch(
      /^atelier wroker: there is no such role or command. Use one of api, worker, cdn/,
    );
  });

  test('wrong database role: one that is not a member of atelier_app, and one that does not exist', async () => {
    await queryOnce(
      stack.ownerUrl,
      `DO $$ BEGIN CREATE ROLE atelier_stranger LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
    );
    const url = new URL(stack.appUrl);
    url.username = 'atelier_stranger';
    expect(await refuse('api', { DATABASE_URL: String(url) })).toMatch(
      /^atelier api: The database role lacks rights. The role of DATABASE_URL must be a member of atelier_app/,
    );
    url.username = 'atelier_nobody';
    expect(await refuse('api', { DATABASE_URL: String(url) })).toMatch(/^atelier api: The database rejected the role/);
  });

  test('a database that is not migrated', async () => {
    expect(await refuse('api', { DATABASE_URL: empty.appUrl })).toMatch(
      /^atelier api: The database schema is not at this version. Run `main.ts migrate`/,
    );
  });

  test('a wrong MASTER_KEY against an existing database; one in front of the right one is accepted', async () => {
    const first = await stack.start('cdn');
    first.signal('SIGTERM');
    await first.gone();
    const wrong = randomBytes(32).toString('base64');
    for (const role of ['api', 'worker', 'cdn']) {
      expect(await refuse(role, { MASTER_KEY: wrong })).toMatch(
        new RegExp(`^atelier ${role}: MASTER_KEY is not a key of this database`),
      );
    }
    const rotated = await stack.start('cdn', { MASTER_KEY: `${wrong},${stack.env.MASTER_KEY}` });
    rotated.signal('SIGTERM');
    await rotated.gone();
    const alone = await stack.start('cdn', { MASTER_KEY: wrong });
    alone.signal('SIGTERM');
    expect(await alone.gone()).toEqual({ code: 0, signal: null });
  });

  test('settings that are missing, invalid or out of range are all listed', async () => {
    const line = await refuse('api', {
      REDIS_URL: '',
      OUTPUT_RETENTION_DAYS: '0',
      WORKER_CONCURRENCY: 'many',
      LOG_LEVEL: 'loud',
      MASTER_KEY_FILE: '/nowhere/key',
    });
    expect(line).toContain('REDIS_URL is not set');
    expect(line).toContain('OUTPUT_RETENTION_DAYS must be a whole number from 1 to 36500, not 0');
    expect(line).toContain('WORKER_CONCURRENCY must be a whole number from 1 to 10000, not many');
    expect(line).toContain('LOG_LEVEL must be debug or info or warn or error or silent, not loud');
    expect(line).toContain('MASTER_KEY_FILE: cannot read /nowhere/key (ENOENT)');
  });
});

test('metrics and health listen first: a process that waits for its database is alive and not ready, then gives up', async () => {
  const sockets = new Set<import('node:net').Socket>();
  const silent = createServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const [metricsPort] = await freePorts(1);
  const seen: number[] = [];
  const ended = runMain(['worker'], {
    ...stack.env,
    DATABASE_URL: `postgres://atelier@127.0.0.1:${port}/atelier`,
    METRICS_PORT: String(metricsPort),
  });
  const look = async (path: string) =>
    (await fetch(`http://127.0.0.1:${metricsPort}${path}`).catch(() => null))?.status;
  await until('the health check responds', async () => (await look('/healthz')) === 200, 30_000, 20);
  seen.push((await look('/readyz')) ?? 0);
  expect(seen).toEqual([503]);
  expect(await ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^atelier worker: The database does not respond: .*\n$/),
  });
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
