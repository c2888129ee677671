import type { FastifyInstance } from 'fastify';
import type { ReceiveCallback } from '../domain/generations/run/callbacks.ts';

/** Cog sends the outputs along, as data URLs. None of it is kept; beyond this the connection ends. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Where backends tell that a run moved on. It is no part of the API's contract: the address is secret and only wakes the
 * worker that asks the backend itself. The body is thrown away unread.
 */
export async function bindCallbacks(app: FastifyInstance, receive: ReceiveCallback): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (request, payload, done) => {
      let bytes = 0;
      payload.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) request.raw.destroy();
      });
      done(null, undefined);
    });
    scope.post<{ Params: { token: string } }>('/callbacks/:token', async (request, reply) => {
      receive(request.params.token);
      return reply.code(202).header('cache-control', 'no-store').send();
    });
  });
}
