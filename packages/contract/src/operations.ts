import Type, { type TSchema } from 'typebox';
import { PublicAccount } from './account.ts';
import { Asset } from './asset.ts';
import { Closed } from './building-blocks.ts';
import { EffectsResponse } from './effect.ts';
import { EventPage } from './event.ts';
import { Concurrency, CreateGenerationBody, Generation, GenerationPage, ListGenerationsQuery } from './generation.ts';
import { Ref } from './marks.ts';
import { ListModelsQuery, Model, ModelsResponse } from './model.ts';
import type { ProblemCode } from './problems.ts';
import { CreateQuoteBody, QuoteResponse } from './quote.ts';
import { CreateResumableUploadBody, ResumableUpload } from './resumable-upload.ts';
import type { Scope } from './vocabulary.ts';
import { UUID_PATTERN } from './vocabulary.ts';

export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly summary: string;
  readonly tag: 'catalog' | 'generations' | 'files' | 'account' | 'events';
  /** Null: public, no key. */
  readonly scope: Scope | null;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is multipart/form-data and is streamed; it has no JSON schema. */
  readonly multipart?: true;
  /** The body is application/octet-stream and is streamed: the bytes themselves. */
  readonly raw?: true;
  readonly idempotent?: true;
  /** The answer is text/event-stream and goes on; `response` describes its text. */
  readonly stream?: true;
  readonly response: TSchema;
  readonly status: 200 | 201;
  readonly problems: readonly ProblemCode[];
}

const IdPath = Type.Object({ id: Type.String({ pattern: UUID_PATTERN }) });

/** What every authenticated operation can answer. */
const guarded = [
  'unauthorized',
  'invalid_api_key',
  'api_key_revoked',
  'api_key_expired',
  'insufficient_scope',
  'rate_limited',
  // At least for a query parameter that the operation does not know.
  'invalid_params',
  'unavailable',
] as const satisfies ProblemCode[];

/** What an operation that could spend or store also answers: the operator's switches and a locked account. */
const switched = ['account_locked', 'maintenance', 'channel_disabled'] as const satisfies ProblemCode[];

/** What judging a model, its params and its inputs can answer. */
const judged = [
  'input_too_large',
  'input_duration',
  'wrong_media',
  'not_found',
  'unknown_model',
] as const satisfies ProblemCode[];

/** The operations table: everything the public interface does. */
export const operations = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    summary: 'Every model that is open now, in display order',
    tag: 'catalog',
    scope: null,
    query: ListModelsQuery,
    response: Ref('ModelsResponse', ModelsResponse),
    status: 200,
    problems: ['invalid_params'],
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id}',
    summary: 'One model, also while it is closed',
    tag: 'catalog',
    scope: null,
    params: Type.Object({ id: Type.String({ minLength: 1, description: 'A modelId.' }) }),
    response: Ref('Model', Model),
    status: 200,
    problems: ['invalid_params', 'unknown_model'],
  },
  listEffects: {
    method: 'GET',
    path: '/v1/effects',
    summary: 'Style filters and templates',
    tag: 'catalog',
    scope: null,
    response: Ref('EffectsResponse', EffectsResponse),
    status: 200,
    problems: ['invalid_params'],
  },
  createQuote: {
    method: 'POST',
    path: '/v1/quotes',
    summary: 'The exact price of a request, with a token that locks it for ten minutes',
    tag: 'generations',
    scope: 'generate',
    body: Ref('CreateQuoteBody', CreateQuoteBody),
    response: Ref('QuoteResponse', QuoteResponse),
    status: 200,
    problems: [...guarded, ...switched, ...judged],
  },
  createGeneration: {
    method: 'POST',
    path: '/v1/generations',
    summary: 'Submit a generation, once and only once',
    tag: 'generations',
    scope: 'generate',
    idempotent: true,
    body: Ref('CreateGenerationBody', CreateGenerationBody),
    response: Ref('Generation', Generation),
    status: 201,
    problems: [
      ...guarded,
      ...switched,
      ...judged,
      'invalid_quote',
      'idempotency_key_required',
      'consent_required',
      'insufficient_coins',
      'spend_cap_exceeded',
      'cooldown',
      'idempotency_conflict',
      'price_changed',
      'max_coins_exceeded',
    ],
  },
  listGenerations: {
    method: 'GET',
    path: '/v1/generations',
    summary: 'Generations of the account, newest first',
    tag: 'generations',
    scope: 'read',
    query: ListGenerationsQuery,
    response: Ref('GenerationPage', GenerationPage),
    status: 200,
    problems: [...guarded],
  },
  getConcurrency: {
    method: 'GET',
    path: '/v1/generations/concurrency',
    summary: 'How many generations may run at once, and how many run or wait now',
    tag: 'generations',
    scope: 'read',
    response: Ref('Concurrency', Concurrency),
    status: 200,
    problems: [...guarded],
  },
  getGeneration: {
    method: 'GET',
    path: '/v1/generations/{id}',
    summary: 'One generation with status, progress, coins and fresh links',
    tag: 'generations',
    scope: 'read',
    params: IdPath,
    response: Ref('Generation', Generation),
    status: 200,
    problems: [...guarded, 'not_found'],
  },
  cancelGeneration: {
    method: 'POST',
    path: '/v1/generations/{id}/cancel',
    summary: 'Cancel a queued generation and release its coins',
    tag: 'generations',
    scope: 'generate',
    params: IdPath,
    response: Ref('Generation', Generation),
    status: 200,
    problems: [...guarded, 'not_found', 'not_cancelable'],
  },
  createUpload: {
    method: 'POST',
    path: '/v1/uploads',
    summary: 'Upload an input file',
    tag: 'files',
    scope: 'uploads',
    multipart: true,
    response: Ref('Asset', Asset),
    status: 201,
    problems: [
      ...guarded,
      ...switched,
      'upload_too_large',
      'storage_quota_exceeded',
      'upload_too_long',
      'upload_invalid',
    ],
  },
  createResumableUpload: {
    method: 'POST',
    path: '/v1/uploads/resumable',
    summary: 'Begin an upload in pieces, which can go on after a break',
    tag: 'files',
    scope: 'uploads',
    body: Ref('CreateResumableUploadBody', CreateResumableUploadBody),
    response: Ref('ResumableUpload', ResumableUpload),
    status: 201,
    problems: [...guarded, ...switched, 'input_too_large', 'upload_too_large', 'storage_quota_exceeded'],
  },
  getResumableUpload: {
    method: 'GET',
    path: '/v1/uploads/resumable/{id}',
    summary: 'How much of an upload in pieces has arrived',
    tag: 'files',
    scope: 'uploads',
    params: IdPath,
    response: Ref('ResumableUpload', ResumableUpload),
    status: 200,
    problems: [...guarded, 'not_found'],
  },
  appendResumableUpload: {
    method: 'PUT',
    path: '/v1/uploads/resumable/{id}',
    summary: 'Send the next piece',
    tag: 'files',
    scope: 'uploads',
    raw: true,
    params: IdPath,
    query: Type.Object(
      { offset: Type.Integer({ minimum: 0, description: 'Where the piece begins: what has arrived so far.' }) },
      Closed,
    ),
    response: Ref('ResumableUpload', ResumableUpload),
    status: 200,
    problems: [...guarded, ...switched, 'not_found', 'upload_too_large', 'upload_invalid'],
  },
  completeResumableUpload: {
    method: 'POST',
    path: '/v1/uploads/resumable/{id}/complete',
    summary: 'Make an asset of the pieces',
    tag: 'files',
    scope: 'uploads',
    params: IdPath,
    response: Ref('Asset', Asset),
    status: 201,
    problems: [
      ...guarded,
      ...switched,
      'not_found',
      'upload_too_large',
      'storage_quota_exceeded',
      'upload_too_long',
      'upload_invalid',
    ],
  },
  getAsset: {
    method: 'GET',
    path: '/v1/assets/{id}',
    summary: 'An upload or output with fresh links',
    tag: 'files',
    scope: 'read',
    params: IdPath,
    response: Ref('Asset', Asset),
    status: 200,
    problems: [...guarded, 'not_found'],
  },
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    summary: 'Balance, running limit, rate limits and the calling key',
    tag: 'account',
    scope: 'account',
    response: Ref('PublicAccount', PublicAccount),
    status: 200,
    problems: [...guarded],
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'The events of the account in order, kept 30 days: what a lost webhook said',
    tag: 'events',
    scope: 'read',
    query: Type.Object(
      {
        after: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'The previous nextAfter.' })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
      },
      Closed,
    ),
    response: Ref('EventPage', EventPage),
    status: 200,
    problems: [...guarded],
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'The events of the account as they happen, and the progress of what runs',
    tag: 'events',
    scope: 'read',
    stream: true,
    query: Type.Object(
      {
        after: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 256,
            description:
              'Where to go on: a nextAfter of the list or an id of the stream. Last-Event-ID takes precedence.',
          }),
        ),
      },
      Closed,
    ),
    response: Type.String({ description: 'Server-sent events.' }),
    status: 200,
    problems: [...guarded],
  },
} as const satisfies Record<string, OperationRow>;

export type OperationId = keyof typeof operations;
/** The operations that answer a stream. */
export type StreamId = { [K in OperationId]: Operation<K> extends { stream: true } ? K : never }[OperationId];
export type Operation<K extends OperationId = OperationId> = (typeof operations)[K];
