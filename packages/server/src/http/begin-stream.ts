import type { FastifyReply, FastifyRequest } from 'fastify';

/** Takes over the reply and sends the headers of a text/event-stream. */
export function beginStream(request: FastifyRequest, reply: FastifyReply): FastifyReply['raw'] {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    // Otherwise proxies would buffer or transform the messages.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
    connection: 'close',
  });
  raw.flushHeaders();
  return raw;
}
