import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listWorkers } from '@atelier/server/domain/operator/offer-board.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sendUpload } from '../files/send-upload.ts';
import { call, newIdempotencyKey, until } from '../harness/client.ts';
import { type EngineStack, startEngineStack } from './engine-stack.ts';

/** Needs no safety check: audio to audio. Available on every machine with ffmpeg. */
const UNPROTECTED = 'voice-fx';
/** Its outputs are images. */
const PROTECTED = 'landscape-painter';
const WATCH_MS = 6_000;
const SPEECH = join(import.meta.dirname, '../../gallery/inputs/speech.ogg');

let engines: EngineStack;

beforeAll(async () => {
  engines = await startEngineStack({
    models: [UNPROTECTED],
    env: { SAFETY_PROMPT: 'block', SAFETY_PICTURE: 'block', WEIGHTS_DIR: '/nonexistent/weights' },
  });
});
afterEach(() => engines.stack.assertBooks());
afterAll(() => engines?.stop());

const openIds = async () =>
  (await call(engines.url, 'GET /v1/models')).body.models.map(({ id }: { id: string }) => id) as string[];

test('a required safety check that cannot run makes the models that it protects unavailable', async () => {
  const ids = await openIds();
  expect(ids).toContain(UNPROTECTED);
  expect(ids).not.toContain(PROTECTED);
  const answer = await call(engines.url, 'POST /v1/generations', {
    key: engines.key,
    headers: { 'idempotency-key': newIdempotencyKey() },
    json: { modelId: PROTECTED, params: { prompt: 'a lake' }, maxCoins: 1_000 },
  });
  expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

test('readyz details and the workers command show the missing checks with their reasons', async () => {
  const [worker] = engines.stack.members.filter(({ role }) => role === 'worker');
  const ready = await call(worker!.metricsUrl, 'GET /readyz');
  const prompt = { kind: 'check', name: 'safety-prompt', reason: expect.stringContaining('weights minilm') };
  expect(ready).toMatchObject({ status: 200, body: { details: { 'safety-prompt': prompt.reason } } });
  const [status] = await listWorkers(engines.stack);
  expect(status?.unavailable).toEqual(
    expect.arrayContaining([prompt, expect.objectContaining({ kind: 'engine', name: 'modnet' })]),
  );
});

test('four generations of a model whose last worker vanished do not block a fifth of a served one', async () => {
  const { key, stack, url } = engines;
  await stack.db.pool.query(
    `INSERT INTO offer (worker, target, seen_at) VALUES ('vanishing', 'local/landscape-painter', now() + interval '1 hour')`,
  );
  await until('the model is available', async () => (await openIds()).includes(PROTECTED));
  const stranded = await Promise.all(Array.from({ length: 4 }, () => engines.submit(PROTECTED, { prompt: 'a lake' })));
  await stack.db.pool.query(`DELETE FROM offer WHERE worker = 'vanishing'`);

  const upload = await sendUpload(url, { key, path: SPEECH });
  const answer = await call(url, 'POST /v1/generations', {
    key,
    headers: { 'idempotency-key': newIdempotencyKey() },
    json: { modelId: UNPROTECTED, params: { audio: upload.body.id }, maxCoins: 1_000, consent: true },
  });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body.queueReason).toBe('capacity');
  await until('the fifth has ended', async () => (await engines.read(answer.body.id)).status === 'succeeded', 60_000);
  for (const { id } of stranded) {
    await until('nobody serves it', async () => (await engines.read(id)).queueReason === 'no_worker');
    expect(await call(url, `POST /v1/generations/${id}/cancel`, { key })).toMatchObject({ status: 200 });
  }
});

test('a job that arrives anyway never runs unchecked: it waits for a worker that has the check', async () => {
  // Another worker offers it, so that the submit is accepted.
  await engines.stack.db.pool.query(
    `INSERT INTO offer (worker, target, seen_at) VALUES ('elsewhere', 'local/landscape-painter', now() + interval '1 hour')`,
  );
  await until('the model is available', async () => (await openIds()).includes(PROTECTED));
  const { id } = await engines.submit(PROTECTED, { prompt: 'a lake' });
  await sleep(WATCH_MS);
  expect(await engines.read(id)).toMatchObject({ status: 'queued', outputs: [], coinsCharged: null });
  const canceled = await call(engines.url, `POST /v1/generations/${id}/cancel`, { key: engines.key });
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled', coinsCharged: 0 } });
});
