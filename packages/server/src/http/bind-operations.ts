import type { OperationId } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { bindOperation, type OperationContext } from './bind-operation.ts';
import { bindStream } from './bind-stream.ts';
import { createBodyDeadlines } from './body/body-deadlines.ts';
import type { OperationHandler } from './operation-handler.ts';
import { handlers, streams } from './routes.ts';

/** Binds every row of the operations table. */
export function bindOperations(app: FastifyInstance, options: Omit<OperationContext, 'bodyDeadlines'>): void {
  const bodyDeadlines = createBodyDeadlines();
  app.addHook('onClose', async () => bodyDeadlines.close());
  const context: OperationContext = { ...options, bodyDeadlines };
  for (const [id, handler] of Object.entries(handlers) as Array<[OperationId, OperationHandler<OperationId>]>) {
    bindOperation(app, context, id, handler);
  }
  bindStream(app, context, 'streamEvents', streams.streamEvents);
}
