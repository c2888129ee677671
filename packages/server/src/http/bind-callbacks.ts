import type { FastifyInstance } from 'fastify';
import type { ReceiveCallback } from '../domain/generations/run/callbacks.ts';

/** Cog includes the outputs as data URLs. The body is discarded; beyond this size the connection is closed. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Where backends report progress of a run. It is not part of the public API: the address is secret and only wakes the
 * worker, which then polls the backend. The body is discarded unread.
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
    // Runs of an earlier version have an address without the cell.
    for (const path of ['/callbacks/:cell/:token', '/callbacks/:token']) {
      scope.post<{ Params: { token: string } }>(path, async (request, reply) => {
        receive(request.params.token);
        return reply.code(202).header('cache-control', 'no-store').send();
      });
    }
  });
}
