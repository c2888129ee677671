import { Gauge, type Registry } from 'prom-client';
import { within } from './role.ts';

/** What processes share. Losing one shows in answers, details, metrics and alerts; it makes no process unready. */
export type DependencyName = 'database' | 'object_store' | 'redis' | 'queue';

const CHECK_INTERVAL_MS = 3_000;
const CHECK_TIMEOUT_MS = 3_000;
/** One slow answer is no outage. */
const FAILURES_UNTIL_DOWN = 2;

export interface Dependencies {
  /** Checks it from now on, at an interval. It counts as up until it failed twice in a row. */
  add(name: DependencyName, check: () => Promise<unknown>): void;
  isUp(name: DependencyName): boolean;
  states(): Record<string, boolean>;
  /** Why those that are down are, by name. */
  details(): Record<string, string>;
  close(): void;
}

interface Watched {
  failures: number;
  reason: string;
}

export function watchDependencies(registry: Registry): Dependencies {
  const watched = new Map<DependencyName, Watched>();
  const timers: NodeJS.Timeout[] = [];
  const isUp = (name: DependencyName) => (watched.get(name)?.failures ?? 0) < FAILURES_UNTIL_DOWN;
  new Gauge({
    name: 'atelier_dependency_up',
    help: 'Whether this process reaches what it shares with others: database, object_store, redis, and queue of a worker.',
    labelNames: ['dependency'],
    registers: [registry],
    collect() {
      for (const name of watched.keys()) this.set({ dependency: name }, isUp(name) ? 1 : 0);
    },
  });
  return {
    add(name, check) {
      const state: Watched = { failures: 0, reason: '' };
      watched.set(name, state);
      let isChecking = false;
      const round = async () => {
        if (isChecking) return;
        isChecking = true;
        try {
          await within(CHECK_TIMEOUT_MS, check);
          state.failures = 0;
        } catch (error) {
          state.failures += 1;
          state.reason = (error as Error).message;
        }
        isChecking = false;
      };
      void round();
      timers.push(setInterval(() => void round(), CHECK_INTERVAL_MS).unref());
    },
    isUp,
    states: () => Object.fromEntries([...watched.keys()].map((name) => [name, isUp(name)])),
    details: () =>
      Object.fromEntries(
        [...watched].filter(([name]) => !isUp(name)).map(([name, { reason }]) => [name, `unavailable: ${reason}`]),
      ),
    close() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
