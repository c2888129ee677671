import { setTimeout as sleep } from 'node:timers/promises';

/** lock_not_available, deadlock_detected. */
const LOCK_FAILURES: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/**
 * Repeats work that did not get its lock. Statements behind a waiting lock wait too, so the work sets a short `lock_timeout` and
 * gives the others their turn between two tries.
 */
export async function retryLocks<T>(
  work: () => Promise<T>,
  options: { limitMs: number; pauseMs: number; onWait?: () => Promise<void> },
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLockFailure(error) || performance.now() - startedMs > options.limitMs) throw error;
      await options.onWait?.();
      // Not in step with others that do the same.
      await sleep(options.pauseMs * (0.5 + Math.random()));
    }
  }
}

function isLockFailure(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return LOCK_FAILURES.has(code) || LOCK_FAILURES.has(cause?.code);
}
