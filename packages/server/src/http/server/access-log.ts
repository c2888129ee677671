import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestRecorder } from '../../domain/operator/request-records.ts';
import type { Log } from '../../platform/log.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked for all the time by machines: logged only if it fails. */
    quiet?: true;
  }
}

export interface AccessLogOptions {
  readonly log: Log;
  /** The share of successful requests that get a line, from 0 to 1. Every other request gets one. */
  readonly successShare: number;
  /** Keeps submits and refusals for the operator; undefined if the listener has none. */
  readonly recorder: RequestRecorder | undefined;
}

export type AccessLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** nginx uses it for clients that disconnect before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One line per request, written when its response has ended or the client disconnected. `requestId` is the `instance` of
 * a problem. A path or query may contain a secret, so the line names the operation, or the route if there is none.
 */
export function createAccessLog({ log, successShare, recorder }: AccessLogOptions): AccessLog {
  return (request, reply) => {
    reply.raw.once('close', () => {
      const answered = reply.raw.headersSent;
      const status = answered ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST;
      if (recorder !== undefined) recordRequest(recorder, request, status);
      if (status < 400 && successShare < 1 && Math.random() >= successShare) return;
      const { config, url } = request.routeOptions;
      const write = status >= 500 ? log.warn : config?.quiet === true && status < 400 ? log.debug : log.info;
      write('request', {
        requestId: request.id,
        method: request.method,
        ...(config?.operation === undefined ? { path: url } : { operation: config.operation }),
        status,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        accountId: request.caller?.accountId,
        keyId: request.caller?.keyId,
        traceId: request.span?.traceId,
        generationId: request.generationId ?? undefined,
        code: request.problemCode ?? undefined,
        issuePaths: request.issuePaths?.join(' '),
        reason: reply.raw.writableFinished ? undefined : 'client closed the connection',
      });
    });
  };
}

const TOO_MANY_REQUESTS = 429;

/** Submits and refusals of known callers. Without those beyond the rate limit, which a client can send without end. */
function recordRequest(recorder: RequestRecorder, request: FastifyRequest, status: number): void {
  const { caller, generationId, problemCode, issuePaths } = request;
  const operation = request.routeOptions.config?.operation;
  if (caller === null || operation === undefined || status === TOO_MANY_REQUESTS) return;
  if (generationId === null && problemCode === null) return;
  recorder.record({
    id: request.id,
    accountId: caller.accountId,
    keyId: caller.keyId,
    channel: caller.channel,
    operation,
    status,
    code: problemCode,
    issuePaths: issuePaths ?? [],
    generationId,
  });
}
