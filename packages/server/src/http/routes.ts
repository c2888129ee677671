import type { OperationHandlers, OperationStreams } from './operation-handler.ts';
import { accountRoutes } from './routes/account.ts';
import { assetRoutes } from './routes/assets.ts';
import { effectRoutes } from './routes/effects.ts';
import { createEventStreams } from './routes/event-streams.ts';
import { eventRoutes } from './routes/events.ts';
import { generationRoutes } from './routes/generations.ts';
import { modelRoutes } from './routes/models.ts';
import { quoteRoutes } from './routes/quotes.ts';
import { uploadRoutes } from './routes/uploads.ts';

/** The handlers of all operations. A row of the contract without a handler does not compile. */
export const handlers: OperationHandlers = {
  ...modelRoutes,
  ...effectRoutes,
  ...quoteRoutes,
  ...generationRoutes,
  ...uploadRoutes,
  ...assetRoutes,
  ...accountRoutes,
  ...eventRoutes,
};

/** The operations that return a stream. */
export const streams: OperationStreams = { streamEvents: createEventStreams };
