import {
  IDEMPOTENCY_KEY_PATTERN,
  type OperationId,
  type OperationRow,
  operations,
  type Scope,
} from '@atelier/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Compile } from 'typebox/compile';
import type { Caller } from '../domain/accounts/caller.ts';
import { refuseWhenSwitchedOff } from '../domain/operator/switch-board.ts';
import type { Services } from '../domain/services.ts';
import { faultPoint } from '../platform/fault-point.ts';
import { invalidParams, Problem } from '../platform/problem.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { Authenticate } from './auth/authenticate.ts';
import { type RateLimiter, WINDOW_SECONDS, writeRateHeaders } from './auth/rate-limit.ts';
import type { BodyDeadlines } from './body/body-deadlines.ts';
import { createQueryReader, createValidator } from './body/validate.ts';
import type { Input, OperationHandler } from './operation-handler.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationId;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

export interface ApiContext {
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly authenticate: Authenticate;
  readonly bodyDeadlines: BodyDeadlines;
  /** Checks every response against the contract's schema; for tests and the sandbox. */
  readonly checkResponses: boolean;
}

/** Binds one row of the operations table to its handler: authentication, rate limit, guards, validation, then the handler. */
export function bindOperation<K extends OperationId>(
  app: FastifyInstance,
  context: ApiContext,
  id: K,
  handler: OperationHandler<K>,
): void {
  const row: OperationRow = operations[id];
  const validBody = row.body === undefined ? null : createValidator(row.body, 'body');
  const namesModel = 'modelId' in ((row.body as { properties?: object } | undefined)?.properties ?? {});
  const readQuery = createQueryReader(row.query);
  const validParams = row.params === undefined ? null : Compile(row.params);
  const validResponse = context.checkResponses ? Compile(row.response) : null;
  const decode = (body: unknown) => {
    validBody?.(body);
    return body;
  };

  app.route({
    method: row.method,
    url: row.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation: id },
    onRequest: async (request, reply) => {
      if (row.scope !== null) {
        const caller = await admit(context, request, reply, id, row.scope);
        // A replay is a read: an idempotent operation checks these itself, for new requests only.
        if (row.idempotent !== true) refuseClosed(context, caller, row);
      }
      // Any POST may have a body. Multipart bodies have a reader with its own time limit.
      if (row.method === 'POST' && row.multipart !== true) context.bodyDeadlines.expect(request, reply);
    },
    handler: async (request, reply) => {
      context.bodyDeadlines.arrived(request);
      if (validParams !== null && !validParams.Check(request.params)) {
        throw new Problem('not_found', 'Path not found.');
      }
      const query = readQuery(request.query);
      // First, so that refusals and replays carry the headers too.
      if (namesModel) announceDeprecation(context.services, reply, request.body);
      const idempotencyKey =
        row.idempotent === true ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
      const body = row.idempotent === true ? request.body : decode(request.body);
      const { caller, params } = request;
      const input = { caller, params, query, body, idempotencyKey, decode, request, reply };
      const answer = await handler(context.services, input as unknown as Input<K>);
      if (validResponse !== null && !validResponse.Check(answer)) {
        throw new Error(
          `the response of ${id} does not match its schema: ${JSON.stringify([...validResponse.Errors(answer)].slice(0, 3))}`,
        );
      }
      if (reply.statusCode === 304) return reply.send();
      if (row.idempotent !== true) reply.code(row.status);
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
    },
  });
}

/** Authenticates, applies the rate limit and checks the scope. */
export async function admit(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  id: OperationId,
  scope: Scope,
): Promise<Caller> {
  // Also for refusals: an answer that depends on a key must not be cached.
  reply.header('cache-control', 'no-store');
  const caller = await context.authenticate(request, reply, 'api');
  request.caller = caller;
  if (id === 'createGeneration') await faultPoint('submit.after-auth');
  const verdict = await context.limiter(caller);
  if (id === 'createGeneration') await faultPoint('submit.after-limit');
  writeRateHeaders(reply, verdict);
  if (!verdict.allowed) {
    throw new Problem('rate_limited', `Rate limit exceeded: ${verdict.limit} requests per ${WINDOW_SECONDS} seconds.`, {
      retryAfterSeconds: verdict.resetSeconds,
    });
  }
  if (!caller.scopes.includes(scope)) {
    throw new Problem('insufficient_scope', `This operation requires a key with the scope ${scope}.`);
  }
  return caller;
}

/** The guards that the row names beside the key: the operator's switches and the account's lock. */
function refuseClosed(context: ApiContext, caller: Caller, row: Pick<OperationRow, 'switched' | 'locked'>): void {
  if (row.switched === true) refuseWhenSwitchedOff(context.services.switches.current(), caller.channel);
  if (row.locked === true && caller.locked) {
    throw new Problem(
      'account_locked',
      'This account is locked. You can still read, cancel generations and view the account.',
    );
  }
}

const VALID_IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

function readIdempotencyKey(header: string | string[] | undefined): string {
  const value = Array.isArray(header) ? header.join(', ') : header;
  if (value === undefined || value === '') {
    throw new Problem(
      'idempotency_key_required',
      'Submits require an Idempotency-Key header, unique per intended generation.',
    );
  }
  if (!VALID_IDEMPOTENCY_KEY.test(value)) {
    throw invalidParams('The request is not valid', [
      { path: 'Idempotency-Key', message: 'must be 16 to 128 letters, digits, _ or -' },
    ]);
  }
  return value;
}
