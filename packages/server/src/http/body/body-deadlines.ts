import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../platform/problem.ts';

export interface BodyDeadlines {
  expect(request: FastifyRequest, reply: FastifyReply): void;
  arrived(request: FastifyRequest): void;
  close(): void;
}

const LOOK_INTERVAL_MS = 500;
const BODY_TIMEOUT_MS = 15_000;

/**
 * Refuses requests whose body takes too long to arrive. Checking all pending requests twice a second costs less than a
 * timer for each.
 */
export function createBodyDeadlines(timeoutMs = BODY_TIMEOUT_MS): BodyDeadlines {
  const awaited = new Map<FastifyRequest, { reply: FastifyReply; dueMs: number }>();
  const look = setInterval(() => {
    const nowMs = Date.now();
    for (const [request, { reply, dueMs }] of awaited) {
      if (request.raw.destroyed || reply.sent) awaited.delete(request);
      else if (dueMs <= nowMs) {
        awaited.delete(request);
        cutOff(request, reply, timeoutMs);
      }
    }
  }, LOOK_INTERVAL_MS);
  look.unref();
  return {
    expect: (request, reply) => void awaited.set(request, { reply, dueMs: Date.now() + timeoutMs }),
    arrived: (request) => void awaited.delete(request),
    close: () => clearInterval(look),
  };
}

function cutOff(request: FastifyRequest, reply: FastifyReply, timeoutMs: number): void {
  reply.header('connection', 'close');
  reply.raw.once('finish', () => request.raw.destroy());
  reply.send(new Problem('invalid_params', `The body did not arrive within ${timeoutMs / 1000} seconds.`));
}

/** Long enough for the client to read the response, short enough that slow clients cannot hold connections. */
const LINGER_MS = 5_000;

/**
 * A refusal may be sent before the whole body has arrived. The rest is discarded for a short while, because closing at
 * once would reset the connection and lose the response. Then the connection is closed.
 */
export function dropBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}
