import type { Generation } from '@atelier/contract';
import { type Answer, newIdempotencyKey, type SubmitOptions, submit, until } from './client.ts';

const PATIENCE_MS = 60_000;

/** As a good client: 503 is no decision, so the same key is sent again. Only a machine that is busy otherwise needs it. */
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
