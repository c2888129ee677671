import { cp, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Generation } from '@atelier/contract';
import { engines as table } from '@atelier/engines/engines.ts';
import { measureUse } from '@atelier/server/confine/measure-use.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { call, newIdempotencyKey, until } from '../harness/client.ts';
import { type EngineStack, startEngineStack, UPSCALE } from './engine-stack.ts';

const DEADLINE_SECONDS = 4;
/** The limit of a machine that does nothing else: soak. */
const KILLED_WITHIN_SECONDS = sized({ ci: 10, full: 2 });

const ended = (engines: EngineStack, id: string, timeoutMs: number) =>
  until<Generation>(
    'the generation ends',
    async () => {
      const generation = await engines.read(id);
      return generation.completedAt !== null && generation;
    },
    timeoutMs,
    100,
  );

describe('a deadline', () => {
  let engines: EngineStack;
  beforeAll(async () => {
    engines = await startEngineStack({
      models: [UPSCALE],
      edit: (yaml) => yaml.replaceAll(/deadlineSeconds: \d+/g, `deadlineSeconds: ${DEADLINE_SECONDS}`),
    });
  });
  afterEach(() => engines.stack.assertBooks());
  afterAll(() => engines?.stop());

  test('ends the run soon after it and refunds the coins', async () => {
    const image = await engines.uploadPhotograph(1024);
    const before = (await call(engines.url, 'GET /v1/account', { key: engines.key })).body.balance;
    const { id } = await engines.submit(UPSCALE, { image });
    const generation = await ended(engines, id, 60_000);
    const lateSeconds =
      (Date.parse(generation.completedAt!) - Date.parse(generation.startedAt!)) / 1000 - DEADLINE_SECONDS;
    console.info(`ended ${lateSeconds.toFixed(2)} s after its deadline`);
    expect(generation).toMatchObject({ status: 'failed', error: { code: 'timeout' }, coinsCharged: 0 });
    expect(lateSeconds).toBeLessThan(KILLED_WITHIN_SECONDS);
    expect((await call(engines.url, 'GET /v1/account', { key: engines.key })).body.balance).toEqual(before);
    const [worker] = engines.stack.members.filter(({ role }) => role === 'worker');
    // Only the worker is left: no child is computing.
    await until(
      'the child has ended',
      async () => measureUse(worker!.pid) < table['real-esrgan'].memoryMb,
      KILLED_WITHIN_SECONDS * 1000,
    );
  });
});

describe('eight concurrent runs on two cores', () => {
  let engines: EngineStack;
  beforeAll(async () => {
    engines = await startEngineStack({ models: [UPSCALE], runLimit: 8, env: { LOCAL_CONCURRENCY: '2' } });
  });
  afterEach(() => engines.stack.assertBooks());
  afterAll(() => engines?.stop());

  test('all finish, and memory stays within the limit of the engine', async () => {
    const image = await engines.uploadPhotograph(sized({ ci: 96, full: 192 }));
    const [worker] = engines.stack.members.filter(({ role }) => role === 'worker');
    const idleMb = measureUse(worker!.pid);
    let peakMb = 0;
    let watching = true;
    const watch = (async () => {
      while (watching) {
        peakMb = Math.max(peakMb, measureUse(worker!.pid));
        await sleep(100);
      }
    })();
    const submitted = await Promise.all(Array.from({ length: 8 }, () => engines.submit(UPSCALE, { image })));
    const all = await Promise.all(submitted.map(({ id }) => ended(engines, id, 170_000)));
    watching = false;
    await watch;
    const limitMb = table['real-esrgan'].memoryMb;
    console.info(`eight upscales: ${idleMb} MB idle, ${peakMb} MB peak, limit ${limitMb} MB`);
    expect(all.map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
    expect(peakMb - idleMb).toBeLessThan(limitMb);
  });
});

describe('missing weights', () => {
  test('make the model unavailable: it is not listed, and a submit is refused', async () => {
    const engines = await startEngineStack({ models: [], env: { WEIGHTS_DIR: '/nonexistent/weights' } });
    try {
      const { body } = await call(engines.url, 'GET /v1/models');
      const ids = body.models.map((model: { id: string }) => model.id);
      expect(ids).not.toContain(UPSCALE);
      expect(ids).toContain('ffmpeg-video-reframe');
      const image = await engines.uploadPhotograph(64);
      const quote = await call(engines.url, 'POST /v1/quotes', {
        key: engines.key,
        json: { modelId: UPSCALE, params: { image } },
      });
      expect(quote.body).toMatchObject({ quoteToken: null });
      const answer = await call(engines.url, 'POST /v1/generations', {
        key: engines.key,
        headers: { 'idempotency-key': newIdempotencyKey() },
        json: { modelId: UPSCALE, params: { image }, maxCoins: 1_000 },
      });
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    } finally {
      await engines.stop();
    }
  });
});

describe('weights installed while a worker runs', () => {
  test('are found without a restart: the model becomes available and runs', async () => {
    const weightsDir = await mkdtemp(join(tmpdir(), 'atelier-weights-'));
    const engines = await startEngineStack({ models: [], env: { WEIGHTS_DIR: weightsDir } });
    try {
      const isListed = async () => {
        const { body } = await call(engines.url, 'GET /v1/models');
        return body.models.some(({ id }: { id: string }) => id === UPSCALE);
      };
      expect(await isListed()).toBe(false);
      const pulled = process.env['WEIGHTS_DIR'] || join(homedir(), '.cache/atelier/weights');
      await cp(join(pulled, 'realesrgan-x2'), join(weightsDir, 'realesrgan-x2'), { recursive: true });
      const startedAt = performance.now();
      await until('the model is available', isListed, 60_000);
      console.info(`opened ${Math.round(performance.now() - startedAt)} ms after its weights were installed`);
      const { id } = await engines.submit(UPSCALE, { image: await engines.uploadPhotograph(64) });
      expect(await ended(engines, id, 120_000)).toMatchObject({ status: 'succeeded' });
      await engines.stack.assertBooks();
    } finally {
      await engines.stop();
      await rm(weightsDir, { recursive: true, force: true });
    }
  });
});
