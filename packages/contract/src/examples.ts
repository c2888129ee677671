import type { Static, TSchema } from 'typebox';
import type { Asset } from './asset.ts';
import type { Effect } from './effect.ts';
import { type EventType, events, type WebhookEvent } from './event.ts';
import type { Generation } from './generation.ts';
import type { Model } from './model.ts';
import type { Operation, OperationId } from './operations.ts';
import { CHUNK_BYTES, type ResumableUpload } from './resumable-upload.ts';
import { FAILURE_MESSAGES } from './vocabulary.ts';

/** The examples of an operation in the OpenAPI document. `replay` is the response to a repeated idempotency key. */
export interface OperationExample {
  readonly params?: object;
  readonly query?: object;
  readonly request?: object;
  readonly response: object | string;
  readonly replay?: object;
}

type Shown<K extends OperationId> = { readonly response: Static<Operation<K>['response']> } & (Operation<K> extends {
  params: infer T extends TSchema;
}
  ? { readonly params: Static<T> }
  : unknown) &
  (Operation<K> extends { query: infer T extends TSchema } ? { readonly query: Static<T> } : unknown) &
  (Operation<K> extends { body: infer T extends TSchema } ? { readonly request: Static<T> } : unknown) &
  (Operation<K> extends { idempotent: true } ? { readonly replay: Static<Operation<K>['response']> } : unknown);

const GENERATION_ID = '0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14';
const UPLOAD_ID = '0198a1c1-e2b7-7a10-8f4d-9b63c0e5d7a2';
const RESUMABLE_ID = '0198a1c0-77d1-7c3e-9a52-3be8d1f04c66';
const OUTPUT_ID = '0198a1c3-3c9a-7e85-b017-2d84f6a1c39e';
const CDN = 'https://cdn.example.com/v1/';
const LINK = '?e=1767609062&k=4fca&s=OEtTakv1dER6kobc29u07Tnpb8HxWL517PcmJzwxxK0';

const upload: Asset = {
  id: UPLOAD_ID,
  kind: 'image',
  url: `${CDN}${UPLOAD_ID}/file${LINK}`,
  thumbnailUrl: `${CDN}${UPLOAD_ID}/thumbnail${LINK}`,
  posterUrl: null,
  mimeType: 'image/jpeg',
  width: 1024,
  height: 768,
  durationSeconds: null,
  expiresAt: '2026-02-04T09:30:01.000Z',
};

const pieces: ResumableUpload = {
  id: RESUMABLE_ID,
  bytes: 150_000_000,
  offset: 33_554_432,
  chunkBytes: CHUNK_BYTES,
  expiresAt: '2026-01-06T09:30:00.000Z',
};

const output: Asset = {
  id: OUTPUT_ID,
  kind: 'image',
  url: `${CDN}${OUTPUT_ID}/file${LINK}`,
  thumbnailUrl: `${CDN}${OUTPUT_ID}/thumbnail${LINK}`,
  posterUrl: null,
  mimeType: 'image/png',
  width: 2048,
  height: 1536,
  durationSeconds: null,
  expiresAt: '2026-04-05T09:31:02.000Z',
};

const params = { image: UPLOAD_ID, upscale_factor: 2 };

const queued: Generation = {
  id: GENERATION_ID,
  modelId: 'real-esrgan-x2',
  modelName: 'Real-ESRGAN upscale',
  taskType: 'image.upscale',
  modality: 'image',
  workspace: 'tools',
  effect: null,
  status: 'queued',
  progress: null,
  queuePosition: 1,
  queueReason: 'capacity',
  params,
  coinsQuoted: 65,
  coinsCharged: null,
  outputs: [],
  outputsRequested: 1,
  error: null,
  projectId: 'spring-catalogue',
  createdAt: '2026-01-05T09:30:40.000Z',
  startedAt: null,
  completedAt: null,
};

const processing: Generation = {
  ...queued,
  status: 'processing',
  progress: 0.4,
  queuePosition: null,
  queueReason: null,
  startedAt: '2026-01-05T09:30:41.000Z',
};

const succeeded: Generation = {
  ...processing,
  status: 'succeeded',
  progress: 1,
  coinsCharged: 65,
  outputs: [output],
  completedAt: '2026-01-05T09:31:02.000Z',
};

const failed: Generation = {
  ...processing,
  status: 'failed',
  coinsCharged: 0,
  error: { code: 'timeout', message: FAILURE_MESSAGES.timeout },
  completedAt: '2026-01-05T09:35:41.000Z',
};

const canceled: Generation = {
  ...queued,
  status: 'canceled',
  queuePosition: null,
  queueReason: null,
  coinsCharged: 0,
  completedAt: '2026-01-05T09:30:44.000Z',
};

const model: Model = {
  id: 'real-esrgan-x2',
  listingId: 'real-esrgan',
  taskType: 'image.upscale',
  modality: 'image',
  workspace: 'tools',
  vendor: 'Real-ESRGAN',
  displayName: 'Real-ESRGAN upscale',
  params: [
    {
      name: 'image',
      required: true,
      ui: { control: 'image', group: 'inputs', order: 1 },
      kind: 'media',
      accept: 'image',
    },
    {
      name: 'upscale_factor',
      required: false,
      ui: { control: 'segmented', group: 'basic', order: 2 },
      kind: 'enum',
      values: [2, 4],
    },
  ],
  defaults: { upscale_factor: 2 },
  priceFromCoins: null,
  inputLimits: { maxInputBytes: 20000000, maxOutputPixels: 16777216 },
  description: 'Upscales and sharpens an image.',
  availability: { state: 'open', reason: null },
};

const effect: Effect = {
  id: 'cubism',
  kind: 'image',
  category: 'style',
  nameKey: 'effects.cubism.name',
  thumbnail: 'https://api.example.com/effects/cubism.webp',
  input: { type: 'images', min: 1, max: 1 },
  modelId: 'gmic-effects',
};

const ended = { succeeded, failed, canceled };

export function eventExample(type: EventType): WebhookEvent {
  const generation: Generation = ended[events[type].status];
  return {
    id: '0198a1c3-6127-7f3b-9c48-e05d7b2a64f1',
    type,
    createdAt: generation.completedAt ?? generation.createdAt,
    data: { generation },
  };
}

/** One story through all operations: a photo is uploaded, priced, enlarged and fetched. */
export const operationExamples: { readonly [K in OperationId]: Shown<K> } = {
  listModels: { query: { taskType: 'image.upscale' }, response: { models: [model] } },
  getModel: {
    params: { id: model.id },
    response: { ...model, availability: { state: 'closed', reason: 'no_worker' } },
  },
  listEffects: { response: { effects: [effect] } },
  createUpload: { response: upload },
  createResumableUpload: {
    request: { bytes: pieces.bytes, mimeType: 'video/mp4' },
    response: { ...pieces, offset: 0 },
  },
  getResumableUpload: { params: { id: RESUMABLE_ID }, response: pieces },
  appendResumableUpload: { params: { id: RESUMABLE_ID }, query: { offset: 16_777_216 }, response: pieces },
  completeResumableUpload: { params: { id: RESUMABLE_ID }, response: upload },
  createQuote: {
    request: { modelId: model.id, params },
    response: {
      modelId: model.id,
      coins: 65,
      coinsPerOutput: 65,
      outputs: 1,
      quoteToken: 'q1.eyJjIjoxMiwibyI6MX0.Zk7m2Yw1cT9uQxR4',
      expiresAt: '2026-01-05T09:40:30.000Z',
      availableCoins: 880,
      availability: { state: 'open', reason: null },
      lines: [
        { label: 'Base price', coins: 2 },
        { label: 'Picture size: 0.79 megapixels', coins: 63 },
      ],
    },
  },
  createGeneration: {
    request: {
      modelId: model.id,
      params,
      quoteToken: 'q1.eyJjIjoxMiwibyI6MX0.Zk7m2Yw1cT9uQxR4',
      projectId: 'spring-catalogue',
    },
    response: queued,
    replay: processing,
  },
  listGenerations: {
    query: { limit: 30, status: 'succeeded', modality: 'image' },
    response: { items: [succeeded], nextCursor: 'c1.eyJiIjoiMDE5OGExYzMifQ.9fJ2vKq7' },
  },
  getConcurrency: { response: { limit: 4, raisedLimit: 8, running: 1, queued: 0 } },
  getGeneration: { params: { id: GENERATION_ID }, response: succeeded },
  cancelGeneration: { params: { id: GENERATION_ID }, response: canceled },
  getAsset: { params: { id: OUTPUT_ID }, response: output },
  getAccount: {
    response: {
      balance: { available: 815, held: 65 },
      concurrency: { limit: 4, raisedLimit: 8, running: 1, queued: 0 },
      rateLimits: { key: { limit: 120, windowSeconds: 60 }, account: { limit: 300, windowSeconds: 60 } },
      key: {
        id: '01989f00-4c1d-7d29-8b36-7f0a5e91c2d4',
        name: 'Shop backend',
        scopes: ['generate', 'read', 'uploads', 'account'],
        monthlySpendCapCoins: 5000,
        requestCapCoins: 100,
        spentThisMonthCoins: 132,
        expiresAt: null,
      },
      channel: 'api',
    },
  },
  listEvents: {
    query: { after: 'e1.eyJhIjoiMDE5OGExYzMifQ.Kt4sW8bP', limit: 30 },
    response: {
      items: [eventExample('generation.succeeded')],
      nextAfter: 'e1.eyJhIjoiMDE5OGExYzQifQ.Vd2nLx6R',
      hasMore: false,
    },
  },
  streamEvents: {
    query: { after: 'e1.eyJhIjoiMDE5OGExYzMifQ.Kt4sW8bP' },
    response: [
      'event: generation.progress',
      `data: ${JSON.stringify({ id: GENERATION_ID, status: 'processing', progress: 0.4, queuePosition: null })}`,
      '',
      'id: e1.eyJhIjoiMDE5OGExYzQifQ.Vd2nLx6R',
      'event: generation.succeeded',
      `data: ${JSON.stringify(eventExample('generation.succeeded'))}`,
      '',
      '',
    ].join('\n'),
  },
};
