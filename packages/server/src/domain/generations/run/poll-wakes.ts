import { setTimeout as sleep } from 'node:timers/promises';

/** The runs of this worker that wait for their next poll, and a way to end the wait early. */
export interface PollWakes {
  /** Ends the wait of the run with this name, if it waits here. */
  wake(name: string): void;
  /** Waits so long, or until the run is woken. Rejects when the signal aborts. */
  pause(options: { name: string; ms: number; signal: AbortSignal }): Promise<void>;
}

export function createPollWakes(): PollWakes {
  const waiting = new Map<string, Set<AbortController>>();
  return {
    wake(name) {
      for (const each of waiting.get(name) ?? []) each.abort();
    },
    async pause({ name, ms, signal }) {
      const woken = new AbortController();
      const waiters = waiting.get(name) ?? new Set();
      waiters.add(woken);
      waiting.set(name, waiters);
      try {
        await sleep(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) });
      } catch (error) {
        if (signal.aborted || !woken.signal.aborted) throw error;
      } finally {
        waiters.delete(woken);
        if (waiters.size === 0) waiting.delete(name);
      }
    },
  };
}
