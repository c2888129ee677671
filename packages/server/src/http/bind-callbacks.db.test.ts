import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createPollWakes, createReceiveCallback, signCallback } from '../domain/generations/run/callbacks.ts';
import { runGeneration } from '../domain/generations/run/run-generation.ts';
import { COINS_PER_OUTPUT, createMoneyPath } from '../domain/generations/testing/create-money-path.ts';
import { createPathServices, sampleCatalog } from '../domain/generations/testing/create-path-services.ts';
import { TEST_LIMITS } from '../domain/generations/testing/test-limits.ts';
import { greyPixels, makePng } from '../media/testing/make-png.ts';
import { startMedia, type TestMedia } from '../media/testing/start-media.ts';
import { createKeyRing } from '../platform/crypto.ts';
import { createLog } from '../platform/log.ts';
import { createDirectoryStore } from '../platform/object-store/directory-store.ts';
import { createTelemetry } from '../platform/telemetry.ts';
import { NO_TRACING } from '../platform/tracing.ts';
import type { Provider } from '../providers/provider.ts';
import { createWake, listenForWakes } from '../queue/wake.ts';
import { bindCallbacks } from './bind-callbacks.ts';
import { createHttpServer } from './server/create-http-server.ts';

const HOUR_MS = 3_600_000;
const { db, owner, url: databaseUrl } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const base = { ...createPathServices(db), wake: createWake(db) };
const log = createLog({ level: 'info', destination: new PassThrough().resume() });
const telemetry = createTelemetry();
const pollWakes = createPollWakes();
const heard: string[] = [];
const closing: (() => Promise<unknown>)[] = [];
let media: TestMedia;
let picture: string;
let address: string;
let services: Parameters<typeof runGeneration>[0];

beforeAll(async () => {
  media = await startMedia();
  picture = join(media.dir, 'made.png');
  const size = { width: 8, height: 8 };
  await writeFile(picture, makePng({ ...size, pixels: greyPixels(size) }));
  const app = await createHttpServer({
    services: { log, telemetry, tracing: NO_TRACING },
    problemBaseUrl: 'http://127.0.0.1/problems',
    trustedProxies: [],
    accessLogShare: 1,
    paths: [],
  });
  await bindCallbacks(app, createReceiveCallback(base));
  address = await app.listen({ host: '127.0.0.1', port: 0 });
  const listener = listenForWakes({
    url: databaseUrl,
    onWake(name) {
      heard.push(name);
      pollWakes.wake(name);
    },
    onError: () => {},
  });
  closing.push(
    () => listener.close(),
    () => app.close(),
  );
  const catalog = sampleCatalog(COINS_PER_OUTPUT);
  const routed = [...catalog.models].map(
    ([id, model]) => [id, { ...model, routes: [{ provider: 'made-up', settings: {} }] }] as const,
  );
  services = {
    ...base,
    publicUrl: address,
    catalog: () => ({ ...catalog, models: new Map(routed) }),
    media: media.whole,
    store: createDirectoryStore({ path: join(media.dir, 'bucket') }),
    log,
    telemetry,
    tracing: NO_TRACING,
    limits: TEST_LIMITS,
    keyPrefix: '',
    spoolDir: join(media.dir, 'spool'),
  };
});
afterAll(async () => {
  for (const close of closing) await close();
  await media.stop();
});

const post = (url: string, body: string | null = '{"status":"succeeded"}', type = 'application/json') =>
  fetch(url, { method: 'POST', body, headers: body === null ? {} : { 'content-type': type } });
const free = { checkPrompt: async () => null, checkFiles: async () => null };

/** Polls once, and would poll again in an hour. */
function createSlowProvider() {
  const state = { polls: 0, done: false, url: '' };
  const provider: Provider = {
    async submit({ callback }) {
      state.url = callback!.url;
      return { handle: 'h' };
    },
    async poll(_handle, job) {
      state.polls += 1;
      if (!state.done) return { state: 'running', pollAfterMs: HOUR_MS };
      const made = join(job.workDir, 'made.png');
      await copyFile(picture, made);
      return { state: 'done', outputs: [{ path: made }] };
    },
  };
  return { state, provider };
}

async function begin(provider: Provider) {
  const account = await path.makeAccount({ coins: 100 });
  const id = await path.begin(account, { outputs: 1, params: { prompt: 'a boat' } });
  const row = { ...(await path.take(id))!, mode: 'live' as const, deadlineAt: new Date(Date.now() + HOUR_MS) };
  const running = runGeneration(services, row, {
    providers: new Map([['made-up', provider]]),
    contentCheck: free,
    leaseSignal: new AbortController().signal,
    pollWakes,
  });
  return { id, row, running };
}

test('a provider callback triggers a poll, and only the poll settles', async () => {
  const { state, provider } = createSlowProvider();
  const { id, running } = await begin(provider);
  await vi.waitFor(() => expect(state.polls).toBe(1));
  expect(state.url.startsWith(`${address}/callbacks/c1/cb1.`)).toBe(true);
  // Its content is not trusted: the backend is polled and reports that it still runs.
  expect((await post(state.url)).status).toBe(202);
  await vi.waitFor(() => expect(state.polls).toBe(2), 5_000);
  expect(await path.generationOf(id)).toMatchObject({ status: 'processing' });
  state.done = true;
  await vi.waitFor(
    async () => {
      await post(state.url, 'anything at all', 'text/plain');
      expect(state.polls).toBe(3);
    },
    { timeout: 10_000, interval: 300 },
  );
  await running;
  expect(await path.generationOf(id)).toMatchObject({ status: 'succeeded', coins_charged: COINS_PER_OUTPUT });
  expect((await post(state.url, null)).status, 'late ones do nothing').toBe(202);
});

test('a callback is bound to its generation and attempt', async () => {
  const { state, provider } = createSlowProvider();
  const { id, row, running } = await begin(provider);
  await vi.waitFor(() => expect(state.polls).toBe(1));
  const other = (run: { generationId: string; attempt: number }) =>
    post(`${address}/callbacks/${signCallback(base.keys, run)}`);
  const before = heard.length;
  await other({ generationId: id, attempt: row.attempt + 1 });
  await other({ generationId: randomUUID(), attempt: row.attempt });
  await vi.waitFor(() => expect(heard.length).toBe(before + 2));
  expect(state.polls).toBe(1);
  state.done = true;
  await post(state.url);
  await running;
  expect(state.polls).toBe(2);
});

test('an unknown token is 404, and one of another key too', async () => {
  const run = { generationId: randomUUID(), attempt: 1 };
  const good = signCallback(base.keys, run);
  const foreign = signCallback(createKeyRing([randomBytes(32)]), run);
  const before = heard.length;
  for (const token of ['x', 'cb1.a.b.c', foreign, `${good.slice(0, -2)}xx`, good.replace('cb1', 'cb2')]) {
    const answer = await post(`${address}/callbacks/${token}`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found']);
  }
  expect((await fetch(`${address}/callbacks/${good}`)).status).toBe(404);
  await post(`${address}/callbacks/${good}`);
  await vi.waitFor(() => expect(heard.length).toBeGreaterThan(before));
  expect(heard.slice(before)).toEqual([`poll/${run.generationId}/1`]);
});

test('many callbacks for one run trigger one poll per second, and a large body is discarded', async () => {
  const run = { generationId: randomUUID(), attempt: 1 };
  const url = `${address}/callbacks/${signCallback(base.keys, run)}`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(url)));
  expect(answers.every(({ status }) => status === 202)).toBe(true);
  expect((await post(url, 'x'.repeat(5_000_000), 'application/json')).status).toBe(202);
  await vi.waitFor(() =>
    expect(heard.filter((name) => name === `poll/${run.generationId}/1`).length).toBeGreaterThan(0),
  );
  expect(heard.filter((name) => name === `poll/${run.generationId}/1`).length).toBeLessThan(5);
});
