import { type OperationId, type OperationRow, operations, type Scope } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import { Problem } from '../../platform/problem.ts';
import type { Authenticate } from './authenticate.ts';
import { type RateLimiter, WINDOW_SECONDS, writeRateHeaders } from './rate-limit.ts';

/** Authenticates, applies the rate limit, and refuses callers who may not call the operation. Null: nobody is asked for. */
export type Admit = (request: FastifyRequest, reply: FastifyReply, id: OperationId) => Promise<Caller | null>;

export interface KeyRequirement {
  /** The key needs all of them. */
  readonly scopes: readonly Scope[];
  /** The request submits a generation, so tests can inject faults. */
  readonly submits?: boolean;
}

/** Admits by API key. */
export type AdmitKey = (request: FastifyRequest, reply: FastifyReply, needs: KeyRequirement) => Promise<Caller>;

/** Admits by API key: the key must have the scope of the operation. */
export function createKeyAdmission(admitKey: AdmitKey): Admit {
  return async (request, reply, id) => {
    const { scope }: Pick<OperationRow, 'scope'> = operations[id];
    return scope === null ? null : admitKey(request, reply, { scopes: [scope], submits: id === 'createGeneration' });
  };
}

export function createAdmitKey(options: { authenticate: Authenticate; limiter: RateLimiter }): AdmitKey {
  return async (request, reply, { scopes, submits }) => {
    // Also for refusals: an answer that depends on a key must not be cached.
    reply.header('cache-control', 'no-store');
    const caller = await options.authenticate(request, reply, 'api');
    request.caller = caller;
    if (submits === true) await faultPoint('submit.after-auth');
    await applyRateLimit(options.limiter, caller, reply);
    if (submits === true) await faultPoint('submit.after-limit');
    const missing = scopes.find((scope) => !caller.scopes.includes(scope));
    if (missing !== undefined) {
      throw new Problem('insufficient_scope', `This operation requires a key with the scope ${missing}.`);
    }
    return caller;
  };
}

/** Counts the request, and refuses it beyond the limit. */
export async function applyRateLimit(limiter: RateLimiter, caller: Caller, reply: FastifyReply): Promise<void> {
  const verdict = await limiter(caller);
  writeRateHeaders(reply, verdict);
  if (verdict.allowed) return;
  throw new Problem('rate_limited', `Rate limit exceeded: ${verdict.limit} requests per ${WINDOW_SECONDS} seconds.`, {
    retryAfterSeconds: verdict.resetSeconds,
  });
}
