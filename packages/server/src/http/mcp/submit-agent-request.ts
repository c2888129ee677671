import type { CreateGenerationBody, Generation } from '@atelier/contract';
import type { Caller } from '../../domain/accounts/caller.ts';
import { type Created, createGeneration, type DailyBudget } from '../../domain/generations/submit/create-generation.ts';
import type { Services } from '../../domain/services.ts';
import { canonicalJson, sha256 } from '../../platform/crypto.ts';
import { invalidParams, Problem } from '../../platform/problem.ts';

/** For this long, the same request is a retry. */
const RETRY_MS = 24 * 3600 * 1000;
/** Earlier generations of the same request that are followed: each costs a read. */
const MAX_FOLLOWED = 64;

interface AgentRequest {
  readonly body: CreateGenerationBody;
  /** Tells requests apart that are alike on purpose. */
  readonly label: string | undefined;
  readonly budget: DailyBudget | undefined;
  readonly traceparent: string | null;
}

/**
 * Agents retry without an Idempotency-Key, also after a reconnect, so it is derived: from the API key, the label, and the
 * quote or without one the whole request. The same call again returns the first generation and charges nothing. After a
 * day, and after a failed generation, which cost nothing, the call is a new one; its key is derived from the generation
 * before it, so that its retries are recognized too.
 */
export async function submitAgentRequest(
  services: Services,
  caller: Caller,
  { body, label = '', budget, traceparent }: AgentRequest,
): Promise<Created> {
  const subject = body.quoteToken ?? canonicalJson(body);
  let previous: string | null = null;
  for (let followed = 0; followed < MAX_FOLLOWED; followed += 1) {
    const idempotencyKey = deriveKey([caller.keyId, subject, label, previous]);
    const request = { body, decode: () => body, idempotencyKey, budget, traceparent };
    const created: Created = await createGeneration(services, caller, request).catch((error) => explain(error, body));
    if (!created.replayed || !isOver(created.generation, services.clock.now().getTime())) return created;
    previous = created.generation.id;
  }
  throw newLabelNeeded();
}

export function deriveKey(parts: readonly unknown[]): string {
  return `mcp_${sha256(canonicalJson(parts)).toString('base64url')}`;
}

/** Whether the same call makes a new generation. */
function isOver({ status, createdAt }: Generation, nowMs: number): boolean {
  return status === 'failed' || nowMs - Date.parse(createdAt) > RETRY_MS;
}

/** The agent knows no Idempotency-Key, so the problem names what it can do. */
export function explain(error: unknown, { quoteToken }: Pick<CreateGenerationBody, 'quoteToken'>): never {
  if (error instanceof Problem && error.code === 'internal') {
    throw new Problem('internal', 'It is unknown whether the generation was accepted.', { cause: error });
  }
  if (!(error instanceof Problem) || error.code !== 'idempotency_conflict') throw error;
  if (quoteToken === undefined) throw newLabelNeeded();
  throw new Problem('invalid_quote', 'This quote was already used for another request. Get a new quote.', {
    issues: [{ path: 'quoteToken', message: 'must be the token of a new quote' }],
  });
}

function newLabelNeeded(): Problem {
  return invalidParams('The request is not valid', [
    { path: 'label', message: 'must be a text that was not used for this request before' },
  ]);
}
