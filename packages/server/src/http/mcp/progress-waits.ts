import type { Generation, GenerationProgress } from '@atelier/contract';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createKeyWatch } from '../../domain/accounts/watch-keys.ts';
import { createEventHub } from '../../domain/events/event-hub.ts';
import { findStreamStart } from '../../domain/events/find-stream-start.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { createGenerationWaits } from '../../domain/generations/read/generation-waits.ts';
import { getGeneration } from '../../domain/generations/read/get-generation.ts';
import type { Services } from '../../domain/services.ts';
import { Problem } from '../../platform/problem.ts';

/** Beyond these, a call does not wait: it returns the current state. */
const WAIT_LIMITS = { perProcess: 500, perAccount: 20 };

export interface WaitOptions {
  readonly caller: Caller;
  readonly id: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called if the generation has not ended and the call waits. */
  readonly onWaiting: () => void;
  readonly onProgress: (progress: Pick<GenerationProgress, 'status' | 'progress' | 'queuePosition'>) => void;
}

export interface ProgressWaits {
  /** The generation once it has ended, or as it is when the time is over. */
  waitFor(options: WaitOptions): Promise<Generation>;
  /** Ends every wait; each returns the current state. */
  close(): void;
}

/** The waits of agents in one process, with progress. They share their reads with each other, as event streams do. */
export function createProgressWaits(services: Services): ProgressWaits {
  const waits = createGenerationWaits(services, WAIT_LIMITS);
  const hub = createEventHub(services);
  const keys = createKeyWatch(services);

  return {
    async waitFor({ caller, id, seconds, signal, onWaiting, onProgress }) {
      const { accountId, keyId } = caller;
      const read = () => getGeneration(services, { accountId, id });
      const generation = await read();
      if (seconds === 0 || isTerminal(generation.status)) return generation;
      const { after } = await findStreamStart(services, { accountId, token: undefined });
      if (signal.aborted || waits.isFull(accountId)) return generation;
      const place = waits.take(accountId);
      const revoked = new AbortController();
      onWaiting();
      onProgress(generation);
      const leaveHub = hub.join({
        accountId,
        after,
        isReady: () => true,
        take: (messages) => {
          for (const message of messages) {
            if (message.kind === 'progress' && message.progress.id === id) onProgress(message.progress);
          }
        },
      });
      const onEnded = () => revoked.abort();
      const stopWatching = keyId === null ? () => {} : keys.watch({ keyId, accountId, onEnded });
      try {
        const ending = AbortSignal.any([signal, revoked.signal]);
        await place.until(id, { timeoutMs: seconds * 1000, signal: ending });
      } finally {
        place.leave();
        leaveHub();
        stopWatching();
      }
      if (revoked.signal.aborted) throw new Problem('unauthorized', 'The API key was revoked or has expired.');
      return read();
    },
    close() {
      waits.close();
      hub.close();
      keys.close();
    },
  };
}
