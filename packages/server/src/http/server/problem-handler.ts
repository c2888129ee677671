import { type ProblemBody, type ProblemCode, problems } from '@atelier/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isAccountErased, isAccountMoved, isDatabaseUnavailable } from '../../platform/db.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { ObjectStoreUnavailable } from '../../platform/object-store/object-store.ts';
import { accountErased, accountMoved, Problem, type ProblemOptions } from '../../platform/problem.ts';
import { isSpoolFull } from '../../platform/spool.ts';
import { MAX_BODY_BYTES } from '../body/parse-json.ts';
import { noteProblem } from './note-outcome.ts';

const RETRY_WHEN_AWAY_SECONDS = 2;
const RETRY_WHEN_FULL_SECONDS = 30;

export interface ProblemContext {
  readonly problemBaseUrl: string;
  readonly log: Log;
}

/** Turns every error into a response. */
export function createProblemHandler(context: ProblemContext) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = toProblem(error);
    leaveConnectionOpen(error, reply);
    if (problem.code === 'internal') {
      context.log.error('request failed', {
        requestId: request.id,
        traceId: request.span?.traceId,
        method: request.method,
        operation: request.routeOptions.config.operation ?? null,
        ...errorFields(error),
      });
    }
    sendProblem(context, request, reply, problem);
  };
}

/** Fastify would close at once; a client that still sends would see a reset instead of the response. */
export function leaveConnectionOpen(error: FastifyError | Error, reply: FastifyReply): void {
  if ((error as FastifyError).code in FRAMEWORK_PROBLEMS) reply.removeHeader('connection');
}

/** Every 401 names a scheme. The console takes no API key; browsers ignore a scheme that they do not know. */
const CHALLENGES: Partial<Record<ProblemCode, string>> = { sign_in_required: 'Session realm="console"' };

export function sendProblem(
  context: Pick<ProblemContext, 'problemBaseUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  status: number = problems[problem.code].status,
): void {
  noteProblem(request, problem);
  // Also here, because no hook runs for requests that the router refuses.
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
  // A route may say more: where to get a key.
  if (status === 401 && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', CHALLENGES[problem.code] ?? 'Bearer realm="atelier"');
  }
  if (problem.retryAfterSeconds !== undefined) {
    const seconds = String(problem.retryAfterSeconds);
    reply.header('retry-after', seconds);
    // Also for limits on concurrency, such as uploads, so that clients that read only the rate headers wait as long.
    if (status === 429) reply.header('ratelimit-remaining', '0').header('ratelimit-reset', seconds);
  }
  void reply
    .code(status)
    .type('application/problem+json')
    .serializer((body) => JSON.stringify(body))
    .send(problemBody(context.problemBaseUrl, problem, status, request.id));
}

export function problemBody(baseUrl: string, problem: Problem, status: number, requestId: string): ProblemBody {
  return {
    type: `${baseUrl}/${problem.code}`,
    title: problems[problem.code].title,
    status,
    detail: problem.message,
    code: problem.code,
    instance: requestId,
    ...(problem.issues === undefined ? {} : { issues: [...problem.issues] }),
  };
}

const FRAMEWORK_PROBLEMS: Readonly<Record<string, { code: ProblemCode; detail: string; options?: ProblemOptions }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'input_too_large',
    detail: `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`,
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'invalid_params',
    detail: 'Expected Content-Type: application/json (multipart/form-data for uploads).',
    options: {
      issues: [{ path: 'Content-Type', message: 'must be application/json (multipart/form-data for uploads)' }],
    },
  },
  FST_ERR_CTP_EMPTY_TYPE: { code: 'invalid_params', detail: 'The Content-Type is missing.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_params',
    detail: 'The body length does not match Content-Length.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_params', detail: 'The path is not a valid URI.' },
  FST_ERR_ASYNC_CONSTRAINT: { code: 'invalid_params', detail: 'The request is not valid.' },
};

/** The problem that an error is to clients. */
export function toProblem(error: FastifyError | Error): Problem {
  if (error instanceof Problem) return error;
  const known = FRAMEWORK_PROBLEMS[(error as FastifyError).code];
  if (known !== undefined) return new Problem(known.code, known.detail, known.options);
  if (isDatabaseUnavailable(error) || error instanceof ObjectStoreUnavailable) {
    return new Problem('unavailable', 'A part of the service is unavailable. Nothing was charged.', {
      retryAfterSeconds: RETRY_WHEN_AWAY_SECONDS,
      cause: error,
    });
  }
  if (isAccountMoved(error)) return accountMoved(error);
  if (isAccountErased(error)) return accountErased(error);
  if (isSpoolFull(error)) {
    return new Problem('unavailable', 'The service has no space for more files. Nothing was stored.', {
      retryAfterSeconds: RETRY_WHEN_FULL_SECONDS,
      cause: error,
    });
  }
  const status = (error as FastifyError).statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new Problem('invalid_params', 'The request is not valid.');
  return new Problem('internal', 'Internal error. Include the request id in `instance` when you report it.', {
    cause: error,
  });
}
