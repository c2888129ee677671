import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Atelier, fromPath, GenerationFailedError, InsufficientScopeError, MaxCoinsExceededError } from '@atelier/sdk';
import {
  createExpressReceiver,
  createFastifyReceiver,
  createHonoReceiver,
  createNextReceiver,
  type ReceivedEvent,
  type WebhookEvent,
} from '@atelier/sdk/webhooks';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findNodes } from '../../scripts/packages/find-nodes.ts';
import { findRuntimes } from '../../scripts/packages/find-runtimes.ts';
import { packPackage } from '../../scripts/packages/pack-package.ts';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { startWebServer } from './web-server.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const PAGE = `<!doctype html><title>page</title>
<script type="module">import { Atelier } from '/sdk.js'; window.Atelier = Atelier;</script>`;
const run = promisify(execFile);

let stack: Stack;
let account: TestAccount;
let client: Atelier;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let picture: string;

beforeAll(async () => {
  folder = await makeFolder();
  picture = await makeFile(folder.dir, 'png');
  stack = await startStack({ services: inject('services'), cdns: 1 });
  account = await makeAccount(stack, { runLimit: 2 });
  client = new Atelier({ baseUrl: stack.api().url, apiKey: account.key });
});
afterAll(async () => {
  await stack?.stop();
  await folder?.remove();
});

test('quote, upload, run, download: the price is the quoted one', async () => {
  const uploads: number[] = [];
  const body = { modelId: 'real-esrgan-x2', params: { image: fromPath(picture), upscale_factor: 2 } } as const;
  const image = (await client.uploads.create(await fromPath(picture))).id;
  const quote = await client.quotes.create({ ...body, params: { ...body.params, image } });
  const seen: string[] = [];
  const generation = await client.generations.run(
    { ...body, maxCoins: quote.coins },
    {
      onUpload: ({ param, sentBytes }) => void (param === 'image' && uploads.push(sentBytes)),
      onProgress: ({ status }) => void seen.push(status),
    },
  );
  expect(generation).toMatchObject({ status: 'succeeded', coinsCharged: quote.coins });
  expect(uploads).toEqual([0, (await readFile(picture)).length]);
  expect(seen[0]).toBe('queued');
  const [output] = generation.outputs;
  const file = await output!.download();
  expect(file.type).toBe('image/png');
  await output!.save(join(folder.dir, 'out.png'));
  expect(await readFile(join(folder.dir, 'out.png'))).toEqual(Buffer.from(await file.arrayBuffer()));
  expect(JSON.parse(JSON.stringify(output))).toMatchObject({ id: output!.id });
  // A link that no longer works is replaced by a new one.
  const stale = client.assets.withDownload({ ...output!, url: output!.url.replace(/=[^=]*$/, '=0') });
  expect((await stale.download()).size).toBe(file.size);
});

test('refusals and failures have their classes', async () => {
  const body = { modelId: 'canvas', params: { prompt: 'sim:fail:timeout' } } as const;
  await expect(client.generations.create({ ...body, maxCoins: 1 })).rejects.toBeInstanceOf(MaxCoinsExceededError);
  await expect(client.generations.run({ ...body, maxCoins: 7 })).rejects.toBeInstanceOf(GenerationFailedError);
  const { key } = await makeKey(stack, account, { scopes: ['read'] });
  const reader = new Atelier({ baseUrl: stack.api().url, apiKey: key });
  const refused = await reader.generations.create({ ...body, maxCoins: 7 }).catch((error) => error);
  expect(refused).toBeInstanceOf(InsufficientScopeError);
  expect(refused.requestId).toMatch(/\S/);
});

test('cancel, concurrency, lists, events and account', async () => {
  const other = await makeAccount(stack, { runLimit: 1 });
  const own = new Atelier({ baseUrl: stack.api().url, apiKey: other.key });
  const create = (prompt: string) => own.generations.create({ modelId: 'canvas', params: { prompt }, maxCoins: 7 });
  const running = await create('sim:ok:3000');
  const waiting = await create('sim:ok');
  expect(await own.generations.concurrency()).toMatchObject({ limit: 1 });
  expect(await own.generations.cancel(waiting.id)).toMatchObject({ status: 'canceled', coinsCharged: 0 });
  await own.generations.wait(running.id);
  for (let n = 0; n < 3; n += 1) await own.generations.run({ modelId: 'canvas', params: { prompt: 'x' }, maxCoins: 7 });
  const ids: string[] = [];
  for await (const { id } of own.generations.list({ limit: 2 })) ids.push(id);
  expect(ids).toHaveLength(5);
  const events: WebhookEvent[] = [];
  await until('all events are listed', async () => {
    events.length = 0;
    for await (const event of own.events.list({ limit: 2 })) events.push(event);
    return events.length === 5;
  });
  expect(events.map(({ data }) => data.generation.id).sort()).toEqual([...ids].sort());
  expect(await own.account.get()).toMatchObject({ balance: { held: 0 }, channel: 'api' });
  expect((await own.models.list({ modality: 'image' })).every(({ modality }) => modality === 'image')).toBe(true);
  expect(await own.models.get('canvas')).toMatchObject({ id: 'canvas' });
  expect((await own.effects.list()).length).toBeGreaterThan(0);
});

test('many runs at once wait on one event stream', async () => {
  const other = await makeAccount(stack, { runLimit: 20 });
  let reads = 0;
  const own = new Atelier({
    baseUrl: stack.api().url,
    apiKey: other.key,
    onResponse: ({ method, path }) => {
      if (method === 'GET' && path.startsWith('/v1/generations/')) reads += 1;
    },
  });
  const all = await Promise.all(
    Array.from({ length: 20 }, () =>
      own.generations.run({ modelId: 'canvas', params: { prompt: 'sim:ok:1000' }, maxCoins: 7 }),
    ),
  );
  expect(new Set(all.map(({ id }) => id)).size).toBe(20);
  console.log(`20 runs ended with ${reads} reads`);
});

test('real webhooks are accepted by the receivers of Express, Fastify, Hono and Next, and forgeries refused', async () => {
  const owner = await makeAccount(stack);
  const received = new Map<string, ReceivedEvent[]>();
  const secrets = new Map<string, string>();
  const optionsOf = (name: string) => ({
    get secret() {
      return secrets.get(name) ?? 'whsec_not-registered-yet';
    },
    onEvent: (event: ReceivedEvent) => void received.set(name, [...(received.get(name) ?? []), event]),
  });
  await using servers = new AsyncDisposableStack();
  const urls = new Map<string, string>();

  const expressApp = express();
  expressApp.post('/hook', createExpressReceiver(optionsOf('express')));
  const listening = expressApp.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  servers.defer(() => void listening.close());
  urls.set('express', `http://127.0.0.1:${(listening.address() as { port: number }).port}/hook`);

  const fastifyApp = fastify();
  fastifyApp.post('/json', async (request) => request.body);
  await fastifyApp.register(createFastifyReceiver('/hook', optionsOf('fastify')));
  urls.set('fastify', `${await fastifyApp.listen({ port: 0, host: '127.0.0.1' })}/hook`);
  servers.defer(() => fastifyApp.close());

  const honoApp = new Hono();
  honoApp.post('/hook', createHonoReceiver(optionsOf('hono')));
  urls.set('hono', `${servers.use(await startWebServer((request) => honoApp.fetch(request))).url}/hook`);
  urls.set('next', `${servers.use(await startWebServer(createNextReceiver(optionsOf('next')))).url}/hook`);

  for (const [name, url] of urls) {
    secrets.set(name, (await makeEndpoint(stack, { accountId: owner.accountId, url })).secret);
  }
  const own = new Atelier({ baseUrl: stack.api().url, apiKey: owner.key });
  const { id } = await own.generations.run({ modelId: 'canvas', params: { prompt: 'a café' }, maxCoins: 7 });
  await until('every receiver has the event', async () => received.size === urls.size);
  for (const [, events] of received)
    expect(events[0]).toMatchObject({ type: 'generation.succeeded', data: { generation: { id } } });
  for (const [name, url] of urls) {
    const headers = { 'content-type': 'application/json', 'service-signature': `t=1,v1=${'0'.repeat(64)}` };
    const forged = await fetch(url, { method: 'POST', body: '{"id":"forged"}', headers });
    expect([name, forged.status]).toEqual([name, 400]);
  }
  // The rest of the app still parses JSON.
  const parsed = await fastifyApp.inject({ method: 'POST', url: '/json', payload: { a: 1 } });
  expect(parsed.json()).toEqual({ a: 1 });
});

test('the packed package works in Node 20 or the Node of the machine, Node 24, Deno, Bun, and in Chromium without a key', async () => {
  await using packed = await packPackage('sdk');
  const target = join(folder.dir, 'node_modules/@atelier/sdk');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', packed.tarball, '-C', target, '--strip-components=1']);
  await writeFile(join(folder.dir, 'package.json'), JSON.stringify({ type: 'module' }));
  const smoke = join(folder.dir, 'smoke.mjs');
  await copyFile(join(import.meta.dirname, 'runtime-smoke.mjs'), smoke);
  const env = { PATH: process.env.PATH, HOME: folder.dir, ATELIER_BASE_URL: stack.api().url };
  const runtimes: string[] = [];
  for (const { program, args } of findRuntimes()) {
    const { key } = await makeAccount(stack);
    const { stdout } = await run(program, [...args, smoke, picture], {
      cwd: folder.dir,
      env: { ...env, ATELIER_API_KEY: key },
    });
    console.log(stdout.trim());
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ models: true, status: 'succeeded', first: 'queued', bytes: true, count: 1 });
    runtimes.push(result.runtime.split(' ')[0]);
  }
  expect(runtimes).toEqual(expect.arrayContaining(['node', 'deno', 'bun']));

  // The first example of the readme, as it stands.
  const readme = await readFile(join(import.meta.dirname, '../../packages/sdk/README.md'), 'utf8');
  await writeFile(join(folder.dir, 'example.mjs'), /```ts\n([\s\S]+?)```/.exec(readme)![1]!);
  await rename(picture, join(folder.dir, 'photo.png'));
  picture = join(folder.dir, 'photo.png');
  const { key: exampleKey } = await makeAccount(stack);
  const example = await run(findNodes()[0]!, ['example.mjs'], {
    cwd: folder.dir,
    env: { ...env, ATELIER_API_KEY: exampleKey },
  });
  expect(example.stdout).toMatch(/^queued/);
  const saved = (await readdir(folder.dir)).filter((name) => /^[0-9a-f-]{36}\.png$/.test(name));
  expect(saved).toHaveLength(1);

  const { output } = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib: { entry: join(target, 'dist/index.js'), formats: ['es'] } },
  }).then((built) => (Array.isArray(built) ? built[0] : built))) as { output: { code: string }[] };
  const { key } = await makeAccount(stack);
  // The server of the page adds the key, as the readme recommends.
  await using site = await startWebServer(async (request) => {
    const { pathname, search } = new URL(request.url);
    const type = (value: string) => ({ headers: { 'content-type': value } });
    if (pathname === '/sdk.js') return new Response(output[0]!.code, type('text/javascript'));
    if (!pathname.startsWith('/api/')) return new Response(PAGE, type('text/html'));
    const headers = new Headers(request.headers);
    headers.set('authorization', `Bearer ${key}`);
    for (const name of ['host', 'connection', 'content-length']) headers.delete(name);
    const body = request.method === 'GET' ? null : await request.arrayBuffer();
    return fetch(`${stack.api().url}${pathname.slice(4)}${search}`, { method: request.method, headers, body });
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'Atelier' in globalThis);
    const bytes = [...(await readFile(picture))];
    const result = await page.evaluate(async (sent) => {
      const { Atelier: BrowserClient } = globalThis as unknown as { Atelier: typeof Atelier };
      const atelier = new BrowserClient({ baseUrl: '/api' });
      const generation = await atelier.generations.run({
        modelId: 'real-esrgan-x2',
        params: { image: new Blob([new Uint8Array(sent)]), upscale_factor: 2 },
        maxCoins: 100,
      });
      let refused = '';
      try {
        new BrowserClient({ baseUrl: '/api', apiKey: 'secret' });
      } catch (error) {
        refused = (error as Error).message;
      }
      return { status: generation.status, bytes: (await generation.outputs[0]!.download()).size, refused };
    }, bytes);
    expect(result).toMatchObject({ status: 'succeeded', refused: expect.stringContaining('browser') });
    expect(result.bytes).toBeGreaterThan(0);
  } finally {
    await browser.close();
  }
});
