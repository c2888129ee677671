export { ApiError, AtelierError, type Issue } from './api-error.ts';
export { Atelier, type AtelierOptions } from './client.ts';
export {
  ConnectionError,
  GenerationCanceledError,
  GenerationFailedError,
  GenerationTimeoutError,
  RequestTimeoutError,
  WebhookVerificationError,
} from './errors.ts';
export type { StreamMessage, StreamOptions } from './event-stream.ts';
export type { CreateOptions, RunBody, RunOptions } from './generations.ts';
export { fromPath, type MediaSource } from './media-source.ts';
export type { DownloadOptions, FinishedGeneration, Output } from './outputs.ts';
export type { Page, PagePromise } from './paginate.ts';
export * from './problem-errors.gen.ts';
export type {
  Asset,
  Concurrency,
  CreateGenerationBody,
  CreateQuoteBody,
  Effect,
  EventType,
  FailureCode,
  Generation,
  GenerationProgress,
  GenerationStatus,
  ListEventsQuery,
  ListGenerationsQuery,
  ListModelsQuery,
  Model,
  ParamDescriptor,
  ParamName,
  ParamValue,
  Problem,
  ProblemCode,
  PublicAccount,
  QuoteResponse,
  WebhookEvent,
} from './schemas.ts';
export type { RequestOptions, ResponseInfo } from './transport.ts';
export type { UploadOptions, UploadProgress } from './uploads.ts';
export { VERSION } from './version.ts';
export type { WaitOptions } from './wait-for-generation.ts';
export * as webhooks from './webhooks.ts';
