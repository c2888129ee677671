/** Seconds between the end of one attempt and the start of the next: nine attempts over about a day. */
export const RETRY_STEPS_SECONDS = [30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200] as const;
export const MAX_ATTEMPTS = RETRY_STEPS_SECONDS.length + 1;

/** Decides the next step after an attempt. Pure: one caller acts on it. */
export type NextStep =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'failed' }
  | { readonly kind: 'stopped' };

/** A test is sent once: its sender sees the result. */
export function decideNextStep(attempt: { n: number; ok: boolean; isTest?: boolean }): NextStep {
  if (attempt.ok) return { kind: 'delivered' };
  if (attempt.isTest === true) return { kind: 'stopped' };
  const delaySeconds = RETRY_STEPS_SECONDS[attempt.n - 1];
  return delaySeconds === undefined ? { kind: 'failed' } : { kind: 'retry', delaySeconds };
}
