import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../platform/problem.ts';

export interface BodyDeadlines {
  expect(request: FastifyRequest, reply: FastifyReply): void;
  arrived(request: FastifyRequest): void;
  close(): void;
}

const LOOK_INTERVAL_MS = 500;

/**
 * A body that drips in is cut off: the connection is not a slow client's to keep. One look at all that are awaited twice a
 * second costs less than a timer for each.
 */
export function createBodyDeadlines(timeoutMs: number): BodyDeadlines {
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

/** Long enough for a sender on an ordinary line to see the answer, short enough not to be worth holding on to. */
const LINGER_MS = 5_000;

/**
 * An answer may come before the body has: a refusal does. What is still on its way is thrown away for a short while,
 * since closing at once would reset the connection and the answer would be lost; then the connection ends.
 */
export function dropBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}
