import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../../platform/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request is not traced. */
    span: Span | null;
  }
}

const SERVER_ERROR = 500;

/**
 * Starts the trace of a request to an operation; others, such as health checks, have none. A trace that a trusted proxy began is
 * continued. Anyone else's is not: a client could put the requests of many accounts into one trace.
 */
export function traceRequest(tracing: Tracing, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config?.operation;
  if (!tracing.enabled || operation === undefined) return;
  const given = request.headers.traceparent;
  const isForwarded = request.ips !== undefined && request.ips.length > 1;
  const span = tracing.startTrace(operation, {
    kind: 'server',
    fields: { operation, method: request.method, requestId: request.id },
    continues: isForwarded && typeof given === 'string' ? given : undefined,
  });
  if (span.traceparent === null) return;
  request.span = span;
  reply.raw.once('close', () => {
    const status = reply.raw.headersSent ? reply.raw.statusCode : undefined;
    const problemCode = request.problemCode ?? undefined;
    span.set({ status, problemCode, accountId: request.caller?.accountId });
    const failed = status === undefined || status >= SERVER_ERROR;
    span.end(failed ? { errorType: problemCode ?? 'client_closed' } : {});
  });
}
