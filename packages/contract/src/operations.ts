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
  /** Null: public, needs no API key. */
  readonly scope: Scope | null;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body is multipart/form-data and is streamed; it has no JSON schema. */
  readonly multipart?: true;
  /** The body is application/octet-stream and is streamed. */
  readonly raw?: true;
  readonly idempotent?: true;
  /** Refused while the operator's switches close the service or the caller's channel. */
  readonly switched?: true;
  /** Refused while the account is locked. */
  readonly locked?: true;
  /** The response is an open text/event-stream; `response` describes its text. */
  readonly stream?: true;
  readonly response: TSchema;
  readonly status: 200 | 201;
  readonly problems: readonly ProblemCode[];
}

const IdPath = Type.Object({ id: Type.String({ pattern: UUID_PATTERN }) });

/** Problems of every authenticated operation. */
const guarded = [
  'unauthorized',
  'invalid_api_key',
  'api_key_revoked',
  'api_key_expired',
  'insufficient_scope',
  'rate_limited',
  // At least for an unknown query parameter.
  'invalid_params',
  'unavailable',
] as const satisfies ProblemCode[];

/** Problems of an operation that spends coins or stores files: the operator's switches and a locked account. */
const refusedWhenClosed = ['account_locked', 'maintenance', 'channel_disabled'] as const satisfies ProblemCode[];

/** Problems of validating a model, its params and its inputs. */
const judged = [
  'input_too_large',
  'input_duration',
  'wrong_media',
  'not_found',
  'unknown_model',
] as const satisfies ProblemCode[];

/** The operations table: every operation of the public API. */
export const operations = {
  listModels: {
    method: 'GET',
    path: '/v1/models',
    summary: 'List models',
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
    summary: 'Get a model',
    tag: 'catalog',
    scope: null,
    params: Type.Object({ id: Type.String({ minLength: 1, description: 'The model id.' }) }),
    response: Ref('Model', Model),
    status: 200,
    problems: ['invalid_params', 'unknown_model'],
  },
  listEffects: {
    method: 'GET',
    path: '/v1/effects',
    summary: 'List effects',
    tag: 'catalog',
    scope: null,
    response: Ref('EffectsResponse', EffectsResponse),
    status: 200,
    problems: ['invalid_params'],
  },
  createQuote: {
    method: 'POST',
    path: '/v1/quotes',
    summary: 'Get a quote',
    tag: 'generations',
    scope: 'generate',
    switched: true,
    locked: true,
    body: Ref('CreateQuoteBody', CreateQuoteBody),
    response: Ref('QuoteResponse', QuoteResponse),
    status: 200,
    problems: [...guarded, ...refusedWhenClosed, ...judged],
  },
  createGeneration: {
    method: 'POST',
    path: '/v1/generations',
    summary: 'Create a generation',
    tag: 'generations',
    scope: 'generate',
    switched: true,
    locked: true,
    idempotent: true,
    body: Ref('CreateGenerationBody', CreateGenerationBody),
    response: Ref('Generation', Generation),
    status: 201,
    problems: [
      ...guarded,
      ...refusedWhenClosed,
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
    summary: 'List generations',
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
    summary: 'Get concurrency',
    tag: 'generations',
    scope: 'read',
    response: Ref('Concurrency', Concurrency),
    status: 200,
    problems: [...guarded],
  },
  getGeneration: {
    method: 'GET',
    path: '/v1/generations/{id}',
    summary: 'Get a generation',
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
    summary: 'Cancel a generation',
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
    summary: 'Upload a file',
    tag: 'files',
    scope: 'uploads',
    switched: true,
    locked: true,
    multipart: true,
    response: Ref('Asset', Asset),
    status: 201,
    problems: [
      ...guarded,
      ...refusedWhenClosed,
      'upload_too_large',
      'storage_quota_exceeded',
      'upload_too_long',
      'upload_invalid',
    ],
  },
  createResumableUpload: {
    method: 'POST',
    path: '/v1/uploads/resumable',
    summary: 'Start a resumable upload',
    tag: 'files',
    scope: 'uploads',
    switched: true,
    locked: true,
    body: Ref('CreateResumableUploadBody', CreateResumableUploadBody),
    response: Ref('ResumableUpload', ResumableUpload),
    status: 201,
    problems: [...guarded, ...refusedWhenClosed, 'input_too_large', 'upload_too_large', 'storage_quota_exceeded'],
  },
  getResumableUpload: {
    method: 'GET',
    path: '/v1/uploads/resumable/{id}',
    summary: 'Get a resumable upload',
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
    summary: 'Upload a chunk',
    tag: 'files',
    scope: 'uploads',
    switched: true,
    locked: true,
    raw: true,
    params: IdPath,
    query: Type.Object(
      {
        offset: Type.Integer({
          minimum: 0,
          description: 'Where the chunk starts: the number of bytes received so far.',
        }),
      },
      Closed,
    ),
    response: Ref('ResumableUpload', ResumableUpload),
    status: 200,
    problems: [...guarded, ...refusedWhenClosed, 'not_found', 'upload_too_large', 'upload_invalid'],
  },
  completeResumableUpload: {
    method: 'POST',
    path: '/v1/uploads/resumable/{id}/complete',
    summary: 'Complete the upload',
    tag: 'files',
    scope: 'uploads',
    switched: true,
    locked: true,
    params: IdPath,
    response: Ref('Asset', Asset),
    status: 201,
    problems: [
      ...guarded,
      ...refusedWhenClosed,
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
    summary: 'Get an asset',
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
    summary: 'Get the account',
    tag: 'account',
    scope: 'account',
    response: Ref('PublicAccount', PublicAccount),
    status: 200,
    problems: [...guarded],
  },
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'List events',
    tag: 'events',
    scope: 'read',
    query: Type.Object(
      {
        after: Type.Optional(
          Type.String({ minLength: 1, maxLength: 256, description: '`nextAfter` of the previous page.' }),
        ),
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
    summary: 'Stream events',
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
              'Where to resume: a `nextAfter` of the list or an event id of the stream. `Last-Event-ID` takes precedence.',
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
/** The operations that return a stream. */
export type StreamId = { [K in OperationId]: Operation<K> extends { stream: true } ? K : never }[OperationId];
export type Operation<K extends OperationId = OperationId> = (typeof operations)[K];
