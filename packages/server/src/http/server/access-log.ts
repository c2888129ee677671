import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../platform/log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem that was answered. */
    problemCode: string | null;
  }
}

export interface AccessLogOptions {
  readonly log: Log;
  /** The share of successful requests that get a line, from 0 to 1. Every other request gets one. */
  readonly successShare: number;
}

export type AccessLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** What nginx writes for a client that left before it was answered. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One line per request, written when its response is over, also when the client left. `requestId` is the `instance` of a
 * problem. A path or a query may hold a secret, so the line names the operation, or the route where there is none.
 */
export function createAccessLog({ log, successShare }: AccessLogOptions): AccessLog {
  return (request, reply) => {
    reply.raw.once('close', () => {
      const answered = reply.raw.headersSent;
      const status = answered ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST;
      if (status < 400 && successShare < 1 && Math.random() >= successShare) return;
      const { config, url } = request.routeOptions;
      const write = status >= 500 ? log.warn : log.info;
      write('request', {
        requestId: request.id,
        method: request.method,
        ...(config?.operation === undefined ? { path: url } : { operation: config.operation }),
        status,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        accountId: request.caller?.accountId,
        keyId: request.caller?.keyId,
        code: request.problemCode ?? undefined,
        reason: reply.raw.writableFinished ? undefined : 'the client closed the connection',
      });
    });
  };
}
