import { expect } from 'vitest';

export const ANSWER_WITHIN_MS = 1_000;
const TRIES = 3;

/**
 * The first response, if one arrives in time. A late request is sent again: a slow service is late each time, a busy
 * machine is not.
 */
export async function answerInTime<T>(send: () => Promise<T>): Promise<T> {
  let first: { answer: T } | undefined;
  let tookMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && tookMs >= ANSWER_WITHIN_MS; n += 1) {
    const startedAt = performance.now();
    const answer = await send();
    tookMs = performance.now() - startedAt;
    first ??= { answer };
  }
  expect(tookMs, 'response in time').toBeLessThan(ANSWER_WITHIN_MS);
  return (first as { answer: T }).answer;
}
