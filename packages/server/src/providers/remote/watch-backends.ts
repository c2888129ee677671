import { setTimeout as sleep } from 'node:timers/promises';
import type { Backends } from './backend.ts';
import { checkHealth } from './check-health.ts';

export interface BackendWatch {
  close(): Promise<void>;
}

/**
 * Probes every backend periodically, so that a worker that sends it no work also knows whether its models can be offered, and so that
 * no customer's generation has to be the trial call of a circuit.
 */
export function watchBackends(
  backends: Backends,
  { intervalMs, onChange }: { intervalMs: number; onChange?: (name: string, open: boolean) => void },
): BackendWatch {
  const ending = new AbortController();

  async function watch(backend: Backends['all'][number]): Promise<void> {
    let open = false;
    while (!ending.signal.aborted) {
      await checkHealth(backend, ending.signal).catch(() => false);
      const now = backend.circuit.state() !== 'closed';
      if (now !== open) onChange?.(backend.name, now);
      open = now;
      await sleep(intervalMs, undefined, { signal: ending.signal, ref: false }).catch(() => {});
    }
  }
  const watches = backends.all.map(watch);
  return {
    async close() {
      ending.abort();
      await Promise.all(watches);
    },
  };
}
