import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { readServices, stopServices } from '../../scripts/services.ts';
import { call, submit, until } from '../harness/client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
const START_TIMEOUT_MS = 120_000;

interface Sandbox {
  readonly child: ChildProcess;
  readonly output: () => string;
  stop(): Promise<number | null>;
}

let dir: string;
let env: NodeJS.ProcessEnv;
const started: Sandbox[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-sandbox-'));
  const { DATABASE_URL: _database, ATELIER_SANDBOX: _sandbox, ...rest } = process.env;
  // Its own services, so that it can check who stops them.
  env = { ...rest, ATELIER_SERVICES_FILE: join(dir, 'services.json') };
});

afterAll(async () => {
  await Promise.all(started.map((sandbox) => sandbox.stop()));
  await stopServices({ dir });
  await rm(dir, { recursive: true, force: true });
});

function start(...args: string[]): Sandbox {
  const child = spawn(process.execPath, [`${root}scripts/sandbox.ts`, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const sandbox: Sandbox = {
    child,
    output: () => text,
    stop: () => {
      child.kill('SIGINT');
      return gone;
    },
  };
  started.push(sandbox);
  return sandbox;
}

const read = (sandbox: Sandbox, name: string) =>
  new RegExp(`^ *${name} +(\\S+)`, 'm').exec(sandbox.output())?.[1] as string;
const isReady = (sandbox: Sandbox) =>
  until(
    'the sandbox is ready',
    async () => {
      if (sandbox.child.exitCode !== null) throw new Error(sandbox.output());
      return /^ *ready$/m.test(sandbox.output());
    },
    START_TIMEOUT_MS,
  );
const operate = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  run(process.execPath, [`${root}packages/server/src/main.ts`, ...args], { env: { ...env, ...more }, cwd: root });

let first: Sandbox;
let url: string;
let second: Sandbox;
let secondUrl: string;

test('the sandbox accepts --port and reports ready once a model is offered: a live submit is accepted immediately', async () => {
  const [port] = (await freePorts(1)) as [number];
  first = start('--port', String(port));
  await isReady(first);
  url = read(first, 'API');
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const live = await call(url, 'POST /v1/generations', {
    key: read(first, 'Live key'),
    headers: { 'idempotency-key': 'a-first-live-generation' },
    json: { modelId: 'landscape-painter', params: { prompt: 'mountains' }, maxCoins: 100 },
  });
  expect(live.status, live.text).toBe(201);
});

test('it prints a webhook secret, the receiver port and the environment file, and writes the fixture', () => {
  expect(read(first, 'Secret')).toMatch(/^whsec_/);
  expect(first.output()).toMatch(/Webhooks +to http:\/\/127\.0\.0\.1:\d+\/hook .*start your receiver on that port/);
  const environment = readFileSync(join(root, read(first, 'Environment')), 'utf8');
  for (const name of ['DATABASE_URL', 'MASTER_KEY', 'S3_BUCKET', 'PUBLIC_URL']) {
    expect(environment).toContain(`${name}='`);
  }
  const fixture = JSON.parse(readFileSync(`${root}.sandbox.json`, 'utf8'));
  expect(fixture).toMatchObject({ baseUrl: url, headerPrefix: 'Service', webhook: { path: '/hook' } });
  expect(fixture.keys.full).toBe(read(first, 'Test key'));
});

test('a port in use is reported on one line', async () => {
  const { port } = new URL(url);
  const busy = start('--port', port);
  await until('it ends', async () => busy.child.exitCode !== null, START_TIMEOUT_MS);
  expect(busy.child.exitCode).toBe(1);
  expect(busy.output()).toBe(`sandbox: port ${port} is in use\n`);
});

test('verify and the operator commands find the running sandbox by themselves', async () => {
  const verified = await operate(['verify']);
  expect(verified.stderr).toContain(`using the sandbox at ${url}`);
  expect(verified.stdout).toMatch(/ 0 violations/);
  const accounts = await operate(['account', 'list', '--json']);
  expect(JSON.parse(accounts.stdout).length).toBeGreaterThan(5);
});

test('a second sandbox in the same clone shares nothing with the first, and commands reach it by its port', async () => {
  second = start();
  await isReady(second);
  secondUrl = read(second, 'API');
  const { port } = new URL(secondUrl);
  expect(second.output()).toContain(`ATELIER_SANDBOX=${port}`);
  expect(JSON.parse(readFileSync(`${root}.sandbox.json`, 'utf8')).baseUrl, 'the first keeps its fixture').toBe(url);
  const accounts = await operate(['account', 'list', '--json'], { ATELIER_SANDBOX: port });
  expect(accounts.stderr).toContain(`using the sandbox at ${secondUrl}`);
});

test('two sandboxes in one clone are independent: the first stops, the second keeps running', async () => {
  // The first had started the services that both use.
  expect(await first.stop()).toBe(0);
  expect(existsSync(`${root}.sandbox.json`)).toBe(false);
  const key = read(second, 'Test key');
  const made = await submit(secondUrl, { key });
  expect(made.status).toBe(201);
  await until('a generation of the second succeeds', async () => {
    const { body } = await call(secondUrl, `GET /v1/generations/${made.body.id}`, { key });
    return body.status === 'succeeded';
  });
  expect((await operate(['account', 'list', '--json'])).stderr).toContain(`using the sandbox at ${secondUrl}`);
  expect(await second.stop()).toBe(0);
  expect(readServices({ dir }), 'the last one stops the services').toBe(null);
});

test('--keep reuses the data of the last run', async () => {
  const first = start('--keep');
  await isReady(first);
  const [url, key] = [read(first, 'API'), read(first, 'Test key')];
  const made = await submit(url, { key });
  expect(made.status).toBe(201);
  expect(await first.stop()).toBe(0);
  expect(readServices({ dir }), 'the services keep running').not.toBe(null);

  const second = start('--keep');
  await isReady(second);
  expect(second.output()).toContain('using the kept data');
  expect(read(second, 'Test key')).toBe(key);
  expect(read(second, 'Secret')).toBe(read(first, 'Secret'));
  const again = await call(read(second, 'API'), `GET /v1/generations/${made.body.id}`, { key });
  expect(again.status).toBe(200);
  expect(await second.stop()).toBe(0);
});
