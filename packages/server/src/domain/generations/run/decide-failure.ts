import type { FailureCode } from '@atelier/contract';
import { isDatabaseUnavailable } from '../../../platform/db.ts';
import { ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { isSpoolFull } from '../../../platform/spool.ts';
import { ProviderError } from '../../../providers/provider.ts';

/**
 * Another worker took the generation. The job returns to the queue and is not completed: if its lease is still held here,
 * as after a late take by a stopped worker, no other worker would get the generation.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
  constructor() {
    super('another worker took this generation over');
  }
}

export type Decision =
  /** Retry the same step in this run. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly code: FailureCode }
  /** End the generation and release the coins. */
  | { readonly kind: 'fail'; readonly code: FailureCode }
  /** Leave the generation unchanged and, after the delay, return the job to the queue. */
  | { readonly kind: 'abandon'; readonly delayMs?: number };

export const MAX_TRIES = 4;
const FIRST_DELAY_MS = 500;
/** The delay before a job returns because of a full disk, so that it is not fetched again immediately. */
const SPOOL_FULL_DELAY_MS = 5_000;

/** Decides how to handle an error of a run. Pure: one caller acts on it. */
export function decideFailure(
  error: unknown,
  state: { tries: number; leaseLost: boolean; hasOther?: boolean },
): Decision {
  if (state.leaseLost || error instanceof Overtaken) return { kind: 'abandon' };
  // Nothing can be recorded while the database is unavailable, so nothing is decided.
  if (isDatabaseUnavailable(error)) return { kind: 'abandon' };
  // The disk of this machine is full; another machine may have space.
  if (isSpoolFull(error)) return { kind: 'abandon', delayMs: SPOOL_FULL_DELAY_MS };
  const { code, retryable } = describe(error);
  // An unavailable provider is not retried, but there may be another route.
  const elsewhere = code === 'unavailable' && state.hasOther === true;
  if ((retryable || elsewhere) && state.tries < MAX_TRIES)
    return { kind: 'retry', delayMs: FIRST_DELAY_MS * 2 ** (state.tries - 1), code };
  return { kind: 'fail', code };
}

function describe(error: unknown): { code: FailureCode; retryable: boolean } {
  if (error instanceof ProviderError) return error;
  if (error instanceof ObjectStoreUnavailable) return { code: 'unavailable', retryable: true };
  return { code: 'internal', retryable: false };
}
