import { ApiError } from './api-error.ts';
import { ConnectionError } from './errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A longer wait is the decision of the caller: the error says how long. */
const MAX_RETRY_AFTER_SECONDS = 60;

export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 408 || error.status === 429 || error.status >= 500);
}

/** How long to wait before the next attempt, or null if the error is final. A 409 is always final. */
export function decideRetryMs(error: unknown, attempt: number, random: () => number = Math.random): number | null {
  if (!isTemporary(error)) return null;
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random() / 2);
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (seconds === null) return backoffMs;
  // Everyone was told the same time, so they must not all come back at once.
  return seconds > MAX_RETRY_AFTER_SECONDS ? null : seconds * 1000 + backoffMs / 2;
}

/** Rejects with the reason of the signal if it aborts meanwhile. */
export function sleep(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
