import { errorFields, errorFieldsWithoutMessage } from '../../../platform/log.ts';
import { parseTraceparent } from '../../../platform/tracing.ts';
import type { Services } from '../../services.ts';
import { deleteOldRunFailures, insertRunFailure, type RunFailure } from './run-failures.store.ts';
import type { RunRow } from './runs.store.ts';

const MAX_MESSAGE_LENGTH = 4_000;
const RETENTION_DAYS = 90;
const BATCH = 1_000;

/**
 * Records a failure twice: its code in the log, and its message, which may quote the customer, where only the operator's
 * commands read it. A failure to record it does not affect the run.
 */
export async function recordRunFailure(
  services: Pick<Services, 'db' | 'log'>,
  run: Pick<RunRow, 'id' | 'accountId' | 'attempt' | 'modelId' | 'traceparent'>,
  failure: Pick<RunFailure, 'target' | 'code' | 'decision'> & { error: unknown },
): Promise<void> {
  const { id, accountId, attempt, modelId } = run;
  const { target, code, decision, error } = failure;
  const traceId = run.traceparent === null ? undefined : parseTraceparent(run.traceparent)?.traceId;
  const fields = { generationId: id, attempt, modelId, code, reason: decision, traceId };
  services.log.warn('run failed', { ...fields, ...errorFieldsWithoutMessage(error) });
  const message = describe(error).replaceAll('\0', '').slice(0, MAX_MESSAGE_LENGTH);
  try {
    await insertRunFailure(services.db, { id, accountId, attempt, target, code, decision, message });
  } catch (failed) {
    services.log.warn('storing the failure message failed', { generationId: id, ...errorFields(failed) });
  }
}

/** Deletes old failures. */
export async function sweepRunFailures(services: Pick<Services, 'db'>, signal: AbortSignal): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const batch = await deleteOldRunFailures(services.db, { days: RETENTION_DAYS, limit: BATCH });
    removed += batch;
    if (batch < BATCH) break;
  }
  return removed;
}

/** The message and those of its causes. */
function describe(error: unknown): string {
  const words: string[] = [];
  for (let each = error; each !== undefined && each !== null && words.length < 5; each = (each as Error).cause) {
    words.push(each instanceof Error ? `${each.name}: ${each.message}` : String(each));
  }
  return words.join('\ncaused by ');
}
