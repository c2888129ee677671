import type { Polled } from '../provider.ts';
import { BackendUnavailable } from './backend-errors.ts';

const ASK_AGAIN_MS = 3_000;
const MAX_HANDLES = 10_000;

/**
 * Tolerates a backend that is unreachable for a while. Its work continues, so failing at once would have it done, and
 * paid for, a second time.
 */
export function createOutageTolerance(nowMs: () => number = Date.now) {
  const awaySinceMs = new Map<string, number>();

  return async function tolerate(
    { handle, awayMs }: { handle: string; awayMs: number },
    poll: () => Promise<Polled>,
  ): Promise<Polled> {
    try {
      const polled = await poll();
      awaySinceMs.delete(handle);
      return polled;
    } catch (error) {
      const since = awaySinceMs.get(handle) ?? nowMs();
      awaySinceMs.delete(handle);
      if (!(error instanceof BackendUnavailable) || nowMs() - since >= awayMs) throw error;
      if (awaySinceMs.size >= MAX_HANDLES) awaySinceMs.clear();
      awaySinceMs.set(handle, since);
      return { state: 'running', pollAfterMs: ASK_AGAIN_MS };
    }
  };
}
