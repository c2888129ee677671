import type { Generation } from '@atelier/contract';
import { type Answer, newIdempotencyKey, type SubmitOptions, submit, until } from './client.ts';

const PATIENCE_MS = 60_000;

/** Like a good client: 503 is not final, so it sends the same key again. Needed only on a busy machine. */
export function submitUntilDecided(baseUrl: string, options: SubmitOptions): Promise<Answer<Generation>> {
  const request = { ...options, idempotencyKey: options.idempotencyKey ?? newIdempotencyKey() };
  return until(
    'a submit is decided',
    async () => {
      const answer = await submit(baseUrl, request);
      return answer.status !== 503 && answer;
    },
    PATIENCE_MS,
  );
}
