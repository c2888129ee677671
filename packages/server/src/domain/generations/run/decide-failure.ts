import type { FailureCode } from '@atelier/contract';
import { MediaRefused } from '../../../media/media-facts.ts';
import { isDatabaseUnavailable } from '../../../platform/db.ts';
import { ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { isSpoolFull } from '../../../platform/spool.ts';
import { ProviderError } from '../../../providers/provider.ts';

/**
 * Another worker took the generation. The job goes back rather than counting as done: when its lease is still held here,
 * as after a late take by a stopped worker, no other worker would get the generation again.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
  constructor() {
    super('another worker took this generation over');
  }
}

export type Decision =
  /** Try the same step again in this run. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly code: FailureCode; readonly message: string }
  /** End the generation; the coins go back. */
  | { readonly kind: 'fail'; readonly code: FailureCode; readonly message: string }
  /** Leave the generation as it is, after a pause: the job returns to the queue. */
  | { readonly kind: 'abandon'; readonly delayMs?: number };

export const MAX_TRIES = 4;
const FIRST_DELAY_MS = 500;
/** Before a job goes back because of a full disk, so that it does not come straight back. */
const SPOOL_FULL_DELAY_MS = 5_000;

/** Decides what an error of a run means. Pure: one caller acts on it. */
export function decideFailure(
  error: unknown,
  state: { tries: number; leaseLost: boolean; hasOther?: boolean },
): Decision {
  if (state.leaseLost || error instanceof Overtaken) return { kind: 'abandon' };
  // Nothing can be recorded while the database is unavailable, so nothing is decided.
  if (isDatabaseUnavailable(error)) return { kind: 'abandon' };
  // This machine has no room; another may.
  if (isSpoolFull(error)) return { kind: 'abandon', delayMs: SPOOL_FULL_DELAY_MS };
  const { code, message, retryable } = describe(error);
  // A provider that cannot serve now is not asked again, but there may be another route.
  const elsewhere = code === 'unavailable' && state.hasOther === true;
  if ((retryable || elsewhere) && state.tries < MAX_TRIES)
    return { kind: 'retry', delayMs: FIRST_DELAY_MS * 2 ** (state.tries - 1), code, message };
  return { kind: 'fail', code, message };
}

function describe(error: unknown): { code: FailureCode; message: string; retryable: boolean } {
  if (error instanceof ProviderError) return { code: error.code, message: error.message, retryable: error.retryable };
  if (error instanceof ObjectStoreUnavailable) {
    return { code: 'unavailable', message: 'The outputs could not be stored.', retryable: true };
  }
  if (error instanceof MediaRefused) {
    return { code: 'internal', message: 'The provider returned an unusable file.', retryable: false };
  }
  return { code: 'internal', message: 'The generation failed because of an internal error.', retryable: false };
}
