import type { OperationHandlers, OperationStreams } from './operation-handler.ts';
import { getAccount } from './routes/account.ts';
import { getAsset } from './routes/assets.ts';
import { listEffects } from './routes/effects.ts';
import { createEventStreams } from './routes/event-streams.ts';
import { listEvents } from './routes/events.ts';
import { cancelGeneration } from './routes/generations/cancel-generation.ts';
import { getConcurrency } from './routes/generations/get-concurrency.ts';
import { getGeneration } from './routes/generations/get-generation.ts';
import { listGenerations } from './routes/generations/list-generations.ts';
import { createGeneration } from './routes/generations.ts';
import { getModel, listModels } from './routes/models.ts';
import { createQuote } from './routes/quotes.ts';
import { appendResumableUpload } from './routes/uploads/append-resumable-upload.ts';
import { completeResumableUpload } from './routes/uploads/complete-resumable-upload.ts';
import { createResumableUpload } from './routes/uploads/create-resumable-upload.ts';
import { getResumableUpload } from './routes/uploads/get-resumable-upload.ts';
import { createUpload } from './routes/uploads.ts';

/** Every operation on one screen. A row of the contract without a handler here does not compile. */
export const handlers: OperationHandlers = {
  listModels,
  getModel,
  listEffects,
  createQuote,
  createGeneration,
  listGenerations,
  getConcurrency,
  getGeneration,
  cancelGeneration,
  createUpload,
  createResumableUpload,
  getResumableUpload,
  appendResumableUpload,
  completeResumableUpload,
  getAsset,
  getAccount,
  listEvents,
};

/** The operations that answer a stream. */
export const streams: OperationStreams = { streamEvents: createEventStreams };
