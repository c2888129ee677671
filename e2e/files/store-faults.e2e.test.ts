import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@atelier/contract';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { sample } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import type { Member } from '../harness/start-stack.ts';
import { type FaultMode, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder, makeVideo } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

const COINS = 1_000;
const OUTAGE_MS = 12_000;
let proxy: FaultProxy;
let stack: FileStack;
let account: TestAccount;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let png: string;
let video: string;

beforeAll(async () => {
  const services = inject('services');
  folder = await makeFolder();
  proxy = await startFaultProxy(services.s3.endpoint);
  stack = await startFileStack({ services, cdns: 1, env: { S3_ENDPOINT: proxy.url, S3_TIMEOUT_SECONDS: '1' } });
  account = await makeAccount(stack, { coins: COINS });
  png = await makeFile(folder.dir, 'png');
  video = await makeVideo(folder.dir, 20);
});
afterEach(async () => {
  proxy.set('pass');
  await stack.assertBooks();
});
afterAll(async () => {
  await stack.stop();
  await proxy.close();
  await folder.remove();
});

const upload = (path: string) => sendUpload(stack.api().url, { key: account.key, path });
const ended = (id: string) =>
  until(
    'the generation ends',
    async () => {
      const { body } = await call<Generation>(stack.api().url, `GET /v1/generations/${id}`, { key: account.key });
      return (body.status === 'succeeded' || body.status === 'failed') && body;
    },
    60_000,
  );
const available = async () =>
  (await call(stack.api().url, 'GET /v1/account', { key: account.key })).body.balance.available as number;

const worker = () => stack.members.find(({ role }) => role === 'worker') as Member;
const logOf = (member: Member) => member.logs.join('');
const countOffers = async () => (await stack.db.pool.query('SELECT 1 FROM offer')).rowCount ?? 0;
/** What each process says about the bucket on its metrics port. */
const readStates = () =>
  Promise.all(
    stack.members.map(async ({ metricsUrl }) => {
      const { status, body } = await call(metricsUrl, 'GET /readyz');
      return { status, up: body.dependencies.object_store as boolean };
    }),
  );

const modes: readonly FaultMode[] = ['down', 'error', 'slow', 'truncate'];

// Refused credentials always: their response is well-formed, and only its meaning is an outage.
describe.each([...sample(modes, { ci: 1, of: 'states of the object store' }), 'refused' as const])(
  'while the object store is in the state %s',
  (mode) => {
    test('an outage of the file store loses no finished work: uploads and files return 503, outputs are stored afterwards', async () => {
      const { body: asset } = await upload(png);
      const rows = await stack.countAssets();
      const coins = await available();
      const offers = await countOffers();
      expect(offers).toBeGreaterThan(0);

      proxy.set(mode);
      const submitted = await submit(stack.api().url, { key: account.key, prompt: 'sim:ok' });
      expect(submitted.status).toBe(201);
      const [small, large, download] = await Promise.all([upload(png), upload(video), fetchWhole(asset.url)]);
      for (const answer of [small, large]) {
        expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        console.log(`${mode}: an upload answered 503 after ${Math.round(answer.durationMs)} ms`);
      }
      // A truncated file never counts as complete.
      expect(download).toBe(mode === 'truncate' ? 'broken' : 503);
      expect(await stack.countAssets()).toBe(rows);

      // Longer than the four attempts for other errors.
      await sleep(OUTAGE_MS);
      const waiting = await call<Generation>(stack.api().url, `GET /v1/generations/${submitted.body.id}`, {
        key: account.key,
      });
      expect(waiting.body).toMatchObject({ status: 'processing', coinsCharged: null });
      expect(proxy.seen()).toBeGreaterThan(6);

      // No process leaves its balancer because of what they all share, and no worker offers what it could not store.
      await until('all processes report the bucket', async () => (await readStates()).every(({ up }) => !up), 30_000);
      for (const { status } of await readStates()) expect(status).toBe(200);
      expect((await call(stack.api().url, 'GET /v1/account', { key: account.key })).status).toBe(200);
      await until('the worker withdrew its offers', async () => (await countOffers()) === 0, 30_000);
      expect(await readMetric(stack.api(), 'atelier_dependency_up{dependency="object_store"}')).toBe(0);
      expect(await readMetric(worker(), 'atelier_object_store_errors_total{operation="put"}')).toBeGreaterThan(0);
      expect(logOf(worker())).toContain('storing outputs failed');

      proxy.set('pass');
      const generation = await ended(submitted.body.id);
      expect(generation).toMatchObject({ status: 'succeeded', error: null });
      expect(await available()).toBe(coins - (generation.coinsCharged ?? 0));
      expect(await fetchWhole(generation.outputs[0]?.url ?? '')).toBe(200);
      expect((await upload(png)).status).toBe(201);
      expect(await fetchWhole(asset.url)).toEqual(200);
      await until('the worker offers its engines again', async () => (await countOffers()) === offers, 30_000);
      expect((await readStates()).every(({ up }) => up)).toBe(true);
    });
  },
);

test('a large file whose parts fail leaves nothing behind', async () => {
  const rows = await stack.countAssets();
  proxy.set('parts-fail');
  expect(await upload(video)).toMatchObject({ status: 503 });
  expect(proxy.seen()).toBeGreaterThan(1);
  expect(await stack.countAssets()).toBe(rows);
});

test('a short outage loses nothing: outputs are stored by a retry', async () => {
  proxy.set('error');
  const { body } = await submit(stack.api().url, { key: account.key, prompt: 'sim:ok' });
  await until('a request hit the fault', async () => proxy.seen() >= 3);
  proxy.set('pass');
  const generation = await ended(body.id);
  expect(generation).toMatchObject({ status: 'succeeded', coinsCharged: 7 });
  expect(await fetchWhole(generation.outputs[0]?.url ?? '')).toBe(200);
});

test('after all of it, rows and objects agree', async () => {
  await stack.sweep();
  expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
});

/** The status of a complete download, or `broken`. */
async function fetchWhole(url: string): Promise<number | 'broken'> {
  try {
    const answer = await fetch(url);
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 200 && url.includes('/file')) expect(body.length).toBeGreaterThan(100);
    return answer.status;
  } catch {
    return 'broken';
  }
}
