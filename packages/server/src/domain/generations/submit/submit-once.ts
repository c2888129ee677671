import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable, isOutcomeUnknown, withStatementTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { type Submission, type SubmitOutcome, submitGeneration } from '../generations.store.ts';

/** About as long as PostgreSQL takes to restart after a crash. */
const PATIENCE_MS = 4_000;
const PAUSE_MS = 200;
const RETRY_AFTER_SECONDS = 2;
export const OUTCOME_UNKNOWN =
  'The outcome is unknown. Send the same request again with the same Idempotency-Key, if it has one: you are never charged twice.';

/**
 * If the connection breaks while the statement runs, it is unknown whether it committed. The key makes a retry safe: it
 * finds the generation of the first try, or creates it. If that does not work either, the answer is not `unavailable`,
 * which promises that nothing was charged.
 */
export async function submitOnce(services: Pick<Services, 'db'>, submission: Submission): Promise<SubmitOutcome> {
  let giveUpAtMs: number | null = null;
  for (;;) {
    try {
      return await withStatementTx(services.db, (tx) => submitGeneration(tx, submission));
    } catch (error) {
      if (isUploadGone(error)) {
        throw new Problem('invalid_params', 'An upload was deleted before the generation was accepted.', {
          issues: [{ path: 'params', message: 'refer to an upload that does not exist' }],
        });
      }
      if (giveUpAtMs === null && !isOutcomeUnknown(error)) throw error;
      giveUpAtMs ??= Date.now() + PATIENCE_MS;
      if (Date.now() >= giveUpAtMs || !isDatabaseUnavailable(error)) throw outcomeUnknown(error);
      await sleep(PAUSE_MS);
    }
  }
}

/** The problem of a submit that may have been accepted. */
export function outcomeUnknown(cause: unknown): Problem {
  return new Problem('internal', OUTCOME_UNKNOWN, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** The row of an input was deleted between the check and the statement: the foreign key reports it. */
function isUploadGone(error: unknown): boolean {
  const { code, table } = error as { code?: unknown; table?: unknown };
  return code === '23503' && table === 'generation_input';
}
