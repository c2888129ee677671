import type { Backend } from '../remote/backend.ts';
import { type ProgressWatch, watchProgress } from './watch-progress.ts';

/** The socket of a run that is no longer polled is closed after this time. */
const IDLE_MS = 60_000;

export interface Watch {
  readonly progress: ProgressWatch;
  checkedAtMs: number;
  /** Number of messages received when the server was last polled during a run. */
  heardAtCheck: number | null;
  askedSocketAtMs: number;
}

/** The sockets of active runs, one for each handle, from the first poll to the last. */
export function createWatches() {
  const watches = new Map<string, { watch: Watch; idle: NodeJS.Timeout }>();

  function drop(handle: string): void {
    const found = watches.get(handle);
    if (found === undefined) return;
    clearTimeout(found.idle);
    watches.delete(handle);
    found.watch.progress.close();
  }
  return {
    drop,
    follow(
      handle: string,
      { signal, ...options }: { backend: Backend; clientId: string; nodes: number; signal: AbortSignal },
    ): Watch {
      const known = watches.get(handle);
      if (known !== undefined) {
        known.idle.refresh();
        return known.watch;
      }
      const watch = {
        progress: watchProgress(options.backend, options),
        checkedAtMs: 0,
        heardAtCheck: null,
        askedSocketAtMs: Date.now(),
      };
      const idle = setTimeout(() => drop(handle), IDLE_MS);
      idle.unref();
      watches.set(handle, { watch, idle });
      signal.addEventListener('abort', () => drop(handle), { once: true });
      return watch;
    },
  };
}
