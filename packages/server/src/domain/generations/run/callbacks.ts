import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyRing } from '../../../platform/crypto.ts';
import { createRecentMap } from '../../../platform/flow/recent-map.ts';
import { Problem } from '../../../platform/problem.ts';
import { openToken, signToken } from '../../../platform/signed-token.ts';
import type { ProviderJob } from '../../../providers/provider.ts';
import type { Services } from '../../services.ts';

const PREFIX = 'cb1';

/** The run of a callback: one attempt of one generation. */
interface CallbackRun {
  readonly generationId: string;
  readonly attempt: number;
}

/** The secret part of the URL that a backend calls when a run changes state. */
export function signCallback(keys: KeyRing, { generationId, attempt }: CallbackRun): string {
  return signToken({ keys, purpose: 'callback', prefix: PREFIX, payload: { g: generationId, a: attempt } });
}

/** Null unless signed by this service. */
function openCallback(keys: KeyRing, token: string): CallbackRun | null {
  const payload = openToken({ keys, purpose: 'callback', prefix: PREFIX, token });
  if (payload === null) return null;
  const { g: generationId, a: attempt } = payload as { g: string; a: number };
  return { generationId, attempt };
}

/** The name of a wake from the API to the worker that polls. */
function pollName({ generationId, attempt }: CallbackRun): string {
  return `${POLL_PREFIX}${generationId}/${attempt}`;
}

export const POLL_PREFIX = 'poll/';

/** The runs of this worker that wait for their next poll; a wake ends the wait early. */
export interface PollWakes {
  /** Ends the wait of the run with this name, if it waits in this process. */
  wake(name: string): void;
  /** Waits this long, or until the run is woken. Rejects when the signal aborts. */
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

/** The callback of a provider: the secret URL, and a wait that the callback ends. */
export function createCallback(
  services: Pick<Services, 'keys' | 'publicUrl' | 'cell'>,
  run: CallbackRun,
  { pollWakes, signal }: { pollWakes: PollWakes; signal: AbortSignal },
): NonNullable<ProviderJob['callback']> {
  return {
    // An edge in front of several cells reads the cell.
    url: `${services.publicUrl}/callbacks/${services.cell}/${signCallback(services.keys, run)}`,
    pause: (ms) => pollWakes.pause({ name: pollName(run), ms, signal }),
  };
}

/** More frequent callbacks are ignored. */
const MIN_INTERVAL_MS = 1_000;
const MAX_RUNS_REMEMBERED = 10_000;

export type ReceiveCallback = (token: string) => void;

/**
 * Handles a backend's callback. Its content is not trusted: it only wakes the worker, which polls the backend. An unknown
 * token gets the response of an unknown path.
 */
export function createReceiveCallback(services: Pick<Services, 'keys' | 'wake' | 'clock'>): ReceiveCallback {
  const lastMs = createRecentMap<number>(MAX_RUNS_REMEMBERED);
  return (token) => {
    const run = openCallback(services.keys, token);
    if (run === null) throw new Problem('not_found', 'Path not found.');
    const name = pollName(run);
    const nowMs = services.clock.now().getTime();
    if (nowMs - (lastMs.get(name) ?? Number.NEGATIVE_INFINITY) < MIN_INTERVAL_MS) return;
    lastMs.set(name, nowMs);
    services.wake([name]);
  };
}
