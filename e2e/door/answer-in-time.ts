import { expect } from 'vitest';

export const ANSWER_WITHIN_MS = 1_000;
const TRIES = 3;

/**
 * The first answer, after making sure that it can be had in time. A request that is late is sent again: what is slow in
 * itself is late each time, what met a busy machine is not.
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
  expect(tookMs, 'answered in time').toBeLessThan(ANSWER_WITHIN_MS);
  return (first as { answer: T }).answer;
}
