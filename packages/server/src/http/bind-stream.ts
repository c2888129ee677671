import { type OperationRow, operations, type StreamId } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { type OperationContext, toRoute } from './bind-operation.ts';
import { createQueryReader } from './body/validate.ts';
import type { Input, OperationStreams } from './operation-handler.ts';

/** Binds a row whose response is a stream. Its source is created once per process. */
export function bindStream<K extends StreamId>(
  app: FastifyInstance,
  context: OperationContext,
  id: K,
  create: OperationStreams[K],
): void {
  const row: OperationRow = operations[id];
  const readQuery = createQueryReader(row.query);
  const streams = create(context.services);
  app.addHook('preClose', async () => streams.close());
  app.route({
    method: row.method,
    url: toRoute(context, row.path),
    config: { operation: id },
    onRequest: async (request, reply) => {
      await context.admit(request, reply, id);
    },
    handler: async (request, reply) => {
      const query = readQuery(request.query);
      await streams.open({ caller: request.caller, query, request, reply } as unknown as Input<K>);
      return reply;
    },
  });
}
