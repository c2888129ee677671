import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from './identity.ts';
import { refuseCrossSite } from './refuse-cross-site.ts';
import { toWebHeaders } from './require-session.ts';

const MAX_BODY_BYTES = 64 * 1024;

/** Hands every request under /api/auth/ to the sign-in, which speaks the Fetch API. */
export async function bindIdentity(
  app: FastifyInstance,
  { identity, origin }: { identity: Identity; origin: string },
): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.route({
      method: ['GET', 'POST'],
      url: '/api/auth/*',
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        refuseCrossSite(request, { origin });
      },
      handler: async (request, reply) => {
        const response = await identity.handle(toWebRequest(request, origin), { address: request.ip });
        return sendResponse(reply, response);
      },
    });
  });
}

function toWebRequest(request: FastifyRequest, origin: string): Request {
  const headers = toWebHeaders(request.headers);
  // Node has read the body: its length and coding no longer describe it.
  for (const name of ['content-length', 'transfer-encoding', 'connection', 'expect']) headers.delete(name);
  const body = request.method === 'POST' && Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : null;
  return new Request(new URL(request.url, origin), { method: request.method, headers, body });
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && name !== 'content-length') reply.header(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  reply.header('cache-control', 'no-store');
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
