import type { Generation, GenerationProgress } from '@atelier/contract';
import type { Caller } from '../../domain/accounts/caller.ts';
import { createKeyWatch } from '../../domain/accounts/watch-keys.ts';
import { createEventHub } from '../../domain/events/event-hub.ts';
import { findStreamStart } from '../../domain/events/find-stream-start.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { getGeneration } from '../../domain/generations/read/get-generation.ts';
import type { Services } from '../../domain/services.ts';
import { Problem } from '../../platform/problem.ts';

/** Beyond these, a call does not wait: it returns the current state. */
export const MAX_WAITS_PER_ACCOUNT = 20;
const MAX_WAITS = 500;

export interface WaitOptions {
  readonly caller: Caller;
  readonly id: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called if the generation has not ended and the call waits. */
  readonly onWaiting: () => void;
  readonly onProgress: (progress: Pick<GenerationProgress, 'status' | 'progress' | 'queuePosition'>) => void;
}

export interface GenerationWaits {
  /** The generation once it has ended, or as it is when the time is over. */
  waitFor(options: WaitOptions): Promise<Generation>;
  /** Ends every wait; each returns the current state. */
  close(): void;
}

interface Wait {
  readonly accountId: string;
  readonly end: () => void;
}

/** The waits of one process. They share their reads with each other, as event streams do. */
export function createGenerationWaits(services: Services): GenerationWaits {
  const hub = createEventHub(services);
  const keys = createKeyWatch(services);
  const waits = new Set<Wait>();

  const isFull = (accountId: string): boolean =>
    waits.size >= MAX_WAITS ||
    [...waits].filter((each) => each.accountId === accountId).length >= MAX_WAITS_PER_ACCOUNT;

  return {
    async waitFor({ caller, id, seconds, signal, onWaiting, onProgress }) {
      const { accountId, keyId } = caller;
      const read = () => getGeneration(services, { accountId, id });
      if (seconds === 0) return read();
      // Found before the first read, so that no end is missed between the two.
      const { after } = await findStreamStart(services, { accountId, token: undefined });
      const generation = await read();
      if (isTerminal(generation.status) || isFull(accountId) || signal.aborted) return generation;
      onWaiting();
      onProgress(generation);
      let stop = () => {};
      try {
        await new Promise<void>((resolve, reject) => {
          const wait: Wait = { accountId, end: resolve };
          const timer = setTimeout(resolve, seconds * 1000);
          const leave = hub.join({
            accountId,
            after,
            isReady: () => true,
            take: (messages) => {
              for (const message of messages) {
                if (message.kind === 'event') {
                  if (message.event.data.generation.id === id) resolve();
                } else if (message.progress.id === id) onProgress(message.progress);
              }
            },
          });
          const onEnded = () => reject(new Problem('unauthorized', 'The API key was revoked or has expired.'));
          const stopWatching = keyId === null ? () => {} : keys.watch({ keyId, accountId, onEnded });
          waits.add(wait);
          signal.addEventListener('abort', wait.end, { once: true });
          stop = () => {
            waits.delete(wait);
            clearTimeout(timer);
            leave();
            stopWatching();
            signal.removeEventListener('abort', wait.end);
          };
        });
      } finally {
        stop();
      }
      return read();
    },
    close() {
      hub.close();
      keys.close();
      for (const wait of waits) wait.end();
    },
  };
}
