import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorFields, type Log } from '../../platform/log.ts';
import { noteProblem } from '../server/note-outcome.ts';
import { leaveConnectionOpen, toProblem } from '../server/problem-handler.ts';
import { OpenaiRefusal, toOpenaiError } from './openai-error.ts';

/** Turns every error of this API into a response in OpenAI's shape. */
export function createOpenaiErrorHandler({ log }: { log: Log }) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error);
    leaveConnectionOpen(error, reply);
    // A generation that failed was logged by its worker.
    if (problem.code === 'internal' && !(problem instanceof OpenaiRefusal)) {
      log.error('request failed', {
        requestId: request.id,
        traceId: request.span?.traceId,
        method: request.method,
        operation: request.routeOptions.config.operation ?? null,
        ...errorFields(error),
      });
    }
    noteProblem(request, problem);
    const { status, body, retry } = toOpenaiError(problem);
    reply.header('cache-control', 'no-store').header('x-should-retry', String(retry));
    if (status === 401) reply.header('www-authenticate', 'Bearer realm="atelier"');
    if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds));
    void reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  };
}
