import { randomUUID } from 'node:crypto';
import type { OperationId } from '@atelier/contract';
import { hashParams, signQuote } from '@atelier/server/domain/quotes/quote-token.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { makeAccount } from '../../harness/account.ts';
import { type Answer, call, newIdempotencyKey, submit, until } from '../../harness/client.ts';
import { guarded } from './guarded.ts';
import { resumable } from './resumable.ts';
import { switched } from './switched.ts';
import { withQuota } from './with-quota.ts';
import { ask, type Provocations, type Provoke, picture, upload, type World } from './world.ts';

const BYTES_PER_MB = 1024 * 1024;
const COOLDOWN_FAILURES = 5;
const TOO_LONG_SECONDS = 601;
const WAV_RATE = 4_000;

/** Problems of validating a model, its params and its inputs, in quotes and submits. */
function judged(operation: 'createQuote' | 'createGeneration') {
  const send = (world: World, request: { modelId: string; params: Record<string, unknown>; effectId?: string }) =>
    ask(world, operation, {
      json: operation === 'createGeneration' ? { ...request, maxCoins: 1_000 } : request,
    });
  return {
    invalid_params: (world) => send(world, { modelId: 'canvas', params: { prompt: '' } }),
    input_too_large: (world) =>
      send(world, { modelId: 'restorer-upscale', params: { image: world.uploads.wideImage, upscale_factor: 4 } }),
    input_duration: (world) => send(world, { modelId: 'clip-upscale', params: { video: world.uploads.shortVideo } }),
    wrong_media: (world) => send(world, { modelId: 'clip-upscale', params: { video: world.uploads.image } }),
    not_found: (world) => send(world, { modelId: 'canvas', params: { prompt: 'a' }, effectId: 'no-such-effect' }),
    unknown_model: (world) => send(world, { modelId: 'no-such-model', params: {} }),
  } satisfies Record<string, Provoke>;
}

/** An expired quote, at an outdated price. */
function oldQuote(world: World): string {
  const masterKey = Buffer.from(world.stack.env.MASTER_KEY as string, 'base64');
  return signQuote(createKeyRing([masterKey]), {
    accountId: world.account.accountId,
    modelId: 'canvas',
    effectId: null,
    paramsHash: hashParams({ prompt: 'sim:ok' }),
    coins: 5,
    coinsPerOutput: 5,
    outputs: 1,
    pricebookVersion: 'old',
    expiresAtSeconds: Math.floor(Date.now() / 1000) - 1,
  });
}

const submitAs = (world: World, more: Record<string, unknown>, key = world.account.key) =>
  ask(world, 'createGeneration', { key, json: { modelId: 'canvas', params: { prompt: 'sim:ok' }, ...more } });

async function coolDown(world: World): Promise<Answer> {
  const { url } = world.stack.api();
  const { key } = await makeAccount(world.stack);
  const failing = Array.from({ length: COOLDOWN_FAILURES }, () =>
    submit(url, { key, prompt: 'sim:fail:content_policy' }),
  );
  await Promise.all(failing);
  await until('all of them have failed', async () => {
    const { body } = await call(url, 'GET /v1/generations?status=failed', { key });
    return body.items.length === COOLDOWN_FAILURES;
  });
  return submit(url, { key });
}

/** Silence: long, small, and valid. */
function longWav(): Buffer {
  const data = Buffer.alloc(WAV_RATE * TOO_LONG_SECONDS, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(WAV_RATE, 24);
  head.writeUInt32LE(WAV_RATE, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

const uploadOf =
  (bytes: () => Buffer): Provoke =>
  (world) =>
    upload(world.stack.api().url, world.account.key, bytes());

export function createProvocations(unavailable: (operation: OperationId) => Promise<Answer>): Provocations {
  const behindKey = (operation: OperationId) => guarded(operation, unavailable);
  return {
    listModels: { invalid_params: (world) => call(world.stack.api().url, 'GET /v1/models?modality=smell') },
    getModel: {
      invalid_params: (world) => ask(world, 'getModel', { id: 'canvas', query: '?no_such_parameter=1' }),
      unknown_model: (world) => ask(world, 'getModel', { id: 'no-such-model' }),
    },
    listEffects: { invalid_params: (world) => ask(world, 'listEffects', { query: '?no_such_parameter=1' }) },
    createQuote: { ...behindKey('createQuote'), ...switched('createQuote'), ...judged('createQuote') },
    createGeneration: {
      ...behindKey('createGeneration'),
      ...switched('createGeneration'),
      ...judged('createGeneration'),
      invalid_quote: (world) => submitAs(world, { quoteToken: 'q1.0000.W10.AAAA' }),
      idempotency_key_required: (world) => ask(world, 'createGeneration', { headers: { 'idempotency-key': '' } }),
      consent_required: (world) =>
        submitAs(world, { modelId: 'portrait-animate', params: { image: world.uploads.image }, maxCoins: 1_000 }),
      insufficient_coins: async (world) => {
        const { key } = await makeAccount(world.stack, { coins: 6 });
        return submitAs(world, { maxCoins: 7 }, key);
      },
      spend_cap_exceeded: async (world) => {
        const { key } = await makeAccount(world.stack, { monthlyCap: 6 });
        return submitAs(world, { maxCoins: 7 }, key);
      },
      cooldown: coolDown,
      idempotency_conflict: async (world) => {
        const { url } = world.stack.api();
        const idempotencyKey = newIdempotencyKey();
        const { key } = world.account;
        expectCreated(await submit(url, { key, idempotencyKey }));
        return submit(url, { key, idempotencyKey, prompt: 'sim:ok:1' });
      },
      price_changed: (world) => submitAs(world, { quoteToken: oldQuote(world) }),
      max_coins_exceeded: (world) => submitAs(world, { maxCoins: 6 }),
    },
    listGenerations: {
      ...behindKey('listGenerations'),
      invalid_params: (world) => call(world.stack.api().url, 'GET /v1/generations?limit=0', { key: world.account.key }),
    },
    getConcurrency: behindKey('getConcurrency'),
    getGeneration: {
      ...behindKey('getGeneration'),
      not_found: (world) => ask(world, 'getGeneration', { id: randomUUID() }),
    },
    cancelGeneration: {
      ...behindKey('cancelGeneration'),
      not_found: (world) => ask(world, 'cancelGeneration', { id: randomUUID() }),
      not_cancelable: (world) => ask(world, 'cancelGeneration'),
    },
    createUpload: {
      ...behindKey('createUpload'),
      ...switched('createUpload'),
      invalid_params: (world) =>
        ask(world, 'createUpload', { body: '{}', headers: { 'content-type': 'application/json' } }),
      upload_too_large: uploadOf(() =>
        Buffer.concat([picture({ width: 8, height: 8 }), Buffer.alloc(20 * BYTES_PER_MB)]),
      ),
      storage_quota_exceeded: withQuota((world) => ask(world, 'createUpload')),
      upload_too_long: uploadOf(longWav),
      upload_invalid: uploadOf(() => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'.repeat(100))),
    },
    ...resumable({ behindKey, longSound: longWav }),
    getAsset: {
      ...behindKey('getAsset'),
      not_found: (world) => ask(world, 'getAsset', { id: randomUUID() }),
    },
    getAccount: behindKey('getAccount'),
    listEvents: {
      ...behindKey('listEvents'),
      invalid_params: (world) => call(world.stack.api().url, 'GET /v1/events?after=x', { key: world.account.key }),
    },
    streamEvents: {
      ...behindKey('streamEvents'),
      invalid_params: (world) =>
        call(world.stack.api().url, 'GET /v1/events/stream?after=x', { key: world.account.key }),
    },
  };
}

function expectCreated(answer: Answer): void {
  if (answer.status !== 201) throw new Error(`the first submit returned ${answer.status}: ${answer.text}`);
}
