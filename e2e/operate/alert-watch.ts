import { alerts } from '../../scripts/monitoring/alerts.ts';
import { renderRules } from '../../scripts/monitoring/render-rules.ts';
import { until } from '../harness/client.ts';
import type { Prometheus } from '../harness/start-prometheus.ts';

/** What replaces the minutes of the rules. */
export const WINDOW = '10s';
const CHANGE_TIMEOUT_MS = 90_000;
const PAUSE_MS = 300;

/**
 * The rules of an installation with shorter times: a short window, a condition that holds for a second, and limits that a test
 * can reach. The conditions are the same.
 */
export function renderQuickRules(given: {
  readonly limits: Readonly<Record<string, number>>;
  readonly windows?: Readonly<Record<string, string>>;
}): string {
  return renderRules(
    alerts.map((row) => ({
      ...row,
      for: '1s',
      ...(row.window === undefined ? {} : { window: given.windows?.[row.name] ?? WINDOW }),
      ...(row.least === undefined ? {} : { least: 2 }),
      ...(given.limits[row.name] === undefined ? {} : { limit: given.limits[row.name] as number }),
    })),
  );
}

export interface AlertWatch {
  /** Waits until each has fired, not necessarily all at the same time. */
  fired(...names: string[]): Promise<void>;
  /** Waits until none of them fires. */
  cleared(...names: string[]): Promise<void>;
}

export function watchAlerts(prometheus: () => Prometheus): AlertWatch {
  const waitFor = async (judge: (firing: ReadonlySet<string>) => { isDone: boolean; left: string }) => {
    let left = '';
    const look = async () => {
      const seen = judge(await prometheus().firing());
      left = seen.left;
      return seen.isDone;
    };
    await until('alerts', look, CHANGE_TIMEOUT_MS, 500).catch((error: Error) => {
      throw new Error(left, { cause: error });
    });
  };
  return {
    fired(...names) {
      const missing = new Set(names);
      return waitFor((firing) => {
        for (const name of firing) missing.delete(name);
        return { isDone: missing.size === 0, left: `do not fire: ${[...missing].join(', ')}` };
      });
    },
    cleared: (...names) =>
      waitFor((firing) => {
        const left = names.filter((name) => firing.has(name));
        return { isDone: left.length === 0, left: `do not clear: ${left.join(', ')}` };
      }),
  };
}

/** Repeats the work until the condition holds. */
export async function whileWaiting(work: () => Promise<unknown>, condition: Promise<unknown>): Promise<void> {
  let done = false;
  const repeated = (async () => {
    while (!done) {
      await work();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  try {
    await condition;
  } finally {
    done = true;
    await repeated;
  }
}
