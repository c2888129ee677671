import type { Generation } from '@atelier/contract';
import { type Answer, isUndecided, newIdempotencyKey, type SubmitOptions, submit, until } from './client.ts';

const PATIENCE_MS = 60_000;

/** Like a good client: it sends the same key again until it knows the outcome. Needed only on a busy machine. */
export function submitUntilDecided(baseUrl: string, options: SubmitOptions): Promise<Answer<Generation>> {
  const request = { ...options, idempotencyKey: options.idempotencyKey ?? newIdempotencyKey() };
  return until(
    'a submit is decided',
    async () => {
      const answer = await submit(baseUrl, request);
      return !isUndecided(answer) && answer;
    },
    PATIENCE_MS,
  );
}
