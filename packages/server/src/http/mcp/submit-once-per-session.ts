import type { CreateGenerationBody, Generation } from '@atelier/contract';
import type { Caller } from '../../domain/accounts/caller.ts';
import {
  type Created,
  createGeneration,
  type SessionBudget,
} from '../../domain/generations/submit/create-generation.ts';
import type { Services } from '../../domain/services.ts';
import { canonicalJson, sha256 } from '../../platform/crypto.ts';
import { invalidParams, Problem } from '../../platform/problem.ts';
import type { Session } from './session.ts';

/** For this long, a request with a ceiling that is sent again is a retry. */
const RETRY_MS = 24 * 3600 * 1000;
/** Failures of one request that are followed; then the last one is returned. */
const MAX_FAILURES = 16;

interface SessionSubmit {
  readonly session: Session;
  readonly body: CreateGenerationBody;
  /** Tells requests apart that are alike on purpose. */
  readonly repeat: number;
  readonly budget: SessionBudget | undefined;
  readonly traceparent: string | null;
}

/**
 * Agents retry without an Idempotency-Key, so it is derived: from the session and the quote, or without a quote from the
 * session and the whole request. The same call again returns the first generation and charges nothing. A failed generation
 * cost nothing, so the next call is a new attempt; its key is derived from the failed one, so that retries of that attempt
 * are recognized too.
 */
export async function submitOncePerSession(
  services: Services,
  caller: Caller,
  { session, body, repeat, budget, traceparent }: SessionSubmit,
): Promise<Created> {
  const subject = body.quoteToken ?? canonicalJson(body);
  let previous: string | null = null;
  for (let attempt = 0; ; attempt += 1) {
    const idempotencyKey = deriveKey([session.id, subject, repeat, previous]);
    const request = { body, decode: () => body, idempotencyKey, budget, traceparent };
    const created: Created = await createGeneration(services, caller, request).catch((error) =>
      explainConflict(error, body),
    );
    if (!created.replayed || attempt === MAX_FAILURES) return created;
    const { generation } = created;
    if (!isFollowed(generation, { body, nowMs: services.clock.now().getTime() })) return created;
    previous = generation.id;
  }
}

export function deriveKey(parts: readonly unknown[]): string {
  return `mcp_${sha256(canonicalJson(parts)).toString('base64url')}`;
}

/** Whether the same call makes a new generation: after a failure, or a day after a request that names only a ceiling. */
function isFollowed(
  { status, createdAt }: Generation,
  { body, nowMs }: { body: CreateGenerationBody; nowMs: number },
): boolean {
  if (status === 'failed') return true;
  return body.quoteToken === undefined && nowMs - Date.parse(createdAt) > RETRY_MS;
}

/** The agent knows no Idempotency-Key, so the problem names what it can change. */
function explainConflict(error: unknown, { quoteToken }: CreateGenerationBody): never {
  if (!(error instanceof Problem) || error.code !== 'idempotency_conflict') throw error;
  if (quoteToken === undefined) {
    throw invalidParams('The request is not valid', [
      { path: 'repeat', message: 'must be a number that was not used for this request before' },
    ]);
  }
  throw new Problem('invalid_quote', 'This quote was already used for another request. Get a new quote.', {
    issues: [{ path: 'quoteToken', message: 'must be the token of a new quote' }],
  });
}
