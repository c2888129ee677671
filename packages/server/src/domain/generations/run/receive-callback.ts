import { Problem } from '../../../platform/problem.ts';
import { createRecentMap } from '../../../platform/recent-map.ts';
import type { Services } from '../../services.ts';
import { openCallback, pollName } from './callback-token.ts';

/** A backend that tells more often wakes nobody more often. */
const MIN_INTERVAL_MS = 1_000;
const MAX_RUNS_REMEMBERED = 10_000;

export type ReceiveCallback = (token: string) => void;

/**
 * A backend says that a run moved on. Nothing that it says is believed: the worker that polls is woken and asks the backend
 * itself. An unknown token is answered like an unknown path.
 */
export function createReceiveCallback(services: Pick<Services, 'keys' | 'wake' | 'clock'>): ReceiveCallback {
  const lastMs = createRecentMap<number>(MAX_RUNS_REMEMBERED);
  return (token) => {
    const run = openCallback(services.keys, token);
    if (run === null) throw new Problem('not_found', 'There is nothing at this path.');
    const name = pollName(run);
    const nowMs = services.clock.now().getTime();
    if (nowMs - (lastMs.get(name) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS) return;
    lastMs.set(name, nowMs);
    services.wake([name]);
  };
}
