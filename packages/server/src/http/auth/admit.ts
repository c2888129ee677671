import { type OperationId, type OperationRow, operations } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import { Problem } from '../../platform/problem.ts';
import type { Authenticate } from './authenticate.ts';
import { type RateLimiter, WINDOW_SECONDS, writeRateHeaders } from './rate-limit.ts';

/** Authenticates, applies the rate limit, and refuses callers who may not call the operation. Null: nobody is asked for. */
export type Admit = (request: FastifyRequest, reply: FastifyReply, id: OperationId) => Promise<Caller | null>;

/** Admits by API key: the key must have the scope of the operation. */
export function createKeyAdmission(options: { authenticate: Authenticate; limiter: RateLimiter }): Admit {
  return async (request, reply, id) => {
    const { scope }: Pick<OperationRow, 'scope'> = operations[id];
    if (scope === null) return null;
    // Also for refusals: an answer that depends on a key must not be cached.
    reply.header('cache-control', 'no-store');
    const caller = await options.authenticate(request, reply, 'api');
    request.caller = caller;
    if (id === 'createGeneration') await faultPoint('submit.after-auth');
    await applyRateLimit(options.limiter, caller, reply);
    if (id === 'createGeneration') await faultPoint('submit.after-limit');
    if (!caller.scopes.includes(scope)) {
      throw new Problem('insufficient_scope', `This operation requires a key with the scope ${scope}.`);
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
