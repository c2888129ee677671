import { errorFields } from '../../../platform/log.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { findEndedGenerations } from './generation-ends.store.ts';

const POLL_INTERVAL_MS = 500;
const FULL_RETRY_SECONDS = 5;

/** A place to wait in. It is taken before the generation is submitted, so that nothing is charged for a request that cannot wait. */
export interface WaitPlace {
  /** Whether the generation ended before the time limit, the signal or the shutdown. */
  until(id: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<boolean>;
  leave(): void;
}

export interface WaitLimits {
  readonly perProcess: number;
  readonly perAccount: number;
}

export interface GenerationWaits {
  /** Whether `take` would refuse. */
  isFull(accountId: string): boolean;
  take(accountId: string): WaitPlace;
  /** Ends every wait. */
  close(): void;
}

interface Waiter {
  readonly accountId: string;
  readonly id: string;
  end(hasEnded: boolean): void;
}

/** Waits for the ends of generations: one statement per poll, for any number of waiting requests. */
export function createGenerationWaits(services: Pick<Services, 'db' | 'log'>, limits: WaitLimits): GenerationWaits {
  const waiters = new Set<Waiter>();
  const places = new Map<string, number>();
  let taken = 0;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isClosed = false;

  const lookLater = () => {
    clearTimeout(timer);
    if (waiters.size > 0) timer = setTimeout(() => void look(), POLL_INTERVAL_MS);
  };
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const asked = [...waiters];
      const ended = await findEndedGenerations(services.db, asked);
      for (const waiter of asked) if (ended.has(waiter.id)) waiter.end(true);
    } catch (error) {
      // The database is unavailable: requests wait until their time limit.
      services.log.warn('reading the ends of generations failed', errorFields(error));
    } finally {
      isLooking = false;
      lookLater();
    }
  };
  const findRefusal = (accountId: string): Problem | null => {
    const options = { retryAfterSeconds: FULL_RETRY_SECONDS };
    if ((places.get(accountId) ?? 0) >= limits.perAccount) {
      const detail = `Too many waiting requests: the limit is ${limits.perAccount} per account.`;
      return new Problem('rate_limited', detail, options);
    }
    if (taken < limits.perProcess && !isClosed) return null;
    return new Problem('unavailable', 'Too many waiting requests.', options);
  };

  return {
    isFull: (accountId) => findRefusal(accountId) !== null,
    take(accountId) {
      const refusal = findRefusal(accountId);
      if (refusal !== null) throw refusal;
      taken += 1;
      places.set(accountId, (places.get(accountId) ?? 0) + 1);
      let isHeld = true;
      return {
        until(id, { timeoutMs, signal }) {
          if (isClosed || signal.aborted) return Promise.resolve(false);
          return new Promise((resolve) => {
            const stop = () => waiter.end(false);
            const limit = setTimeout(stop, timeoutMs);
            const waiter: Waiter = {
              accountId,
              id,
              end(hasEnded) {
                clearTimeout(limit);
                signal.removeEventListener('abort', stop);
                waiters.delete(waiter);
                resolve(hasEnded);
              },
            };
            signal.addEventListener('abort', stop, { once: true });
            waiters.add(waiter);
            if (waiters.size === 1) lookLater();
          });
        },
        leave() {
          if (!isHeld) return;
          isHeld = false;
          taken -= 1;
          const left = (places.get(accountId) ?? 1) - 1;
          if (left === 0) places.delete(accountId);
          else places.set(accountId, left);
        },
      };
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const waiter of [...waiters]) waiter.end(false);
    },
  };
}
