import { type Db, isContention, withStatementTx, withTx } from '../../../platform/db.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import { enqueue } from '../../../queue/enqueue.ts';
import type { RunPool } from '../../../queue/queues.ts';
import type { Services } from '../../services.ts';
import { findUntaken, type RunRow, takeRows } from './runs.store.ts';
import { findServedModels, isServed, readServingFacts } from './serving.ts';

export type { RunRow } from './runs.store.ts';

/**
 * Moves these generations from queued to processing for a worker, or takes them over from a dead worker. Ended generations
 * are not returned, nor those beyond the running limit of their account: these stay queued and get a job when a slot is free.
 * Those that this worker cannot serve stay queued too, and their jobs are requeued.
 */
export async function takeGenerations(
  services: Pick<Services, 'db' | 'catalog' | 'offers'>,
  options: { ids: readonly string[]; worker: string; offered: readonly string[] },
): Promise<ReadonlyMap<string, RunRow>> {
  const { ids, worker } = options;
  const models = findServedModels(services.catalog(), new Set(options.offered));
  await faultPoint('take.before-commit');
  const rows = await takeUnlocked(services.db, { ids, worker, models });
  await faultPoint('take.after-commit');
  const taken = new Map(rows.map((row) => [row.id, row]));
  const untaken = ids.filter((id) => !taken.has(id));
  if (untaken.length > 0) await deferUnserved(services, untaken);
  return taken;
}

/** Leaves out the generations of accounts whose lock takes long, so that they delay no other account. */
async function takeUnlocked(
  db: Db,
  options: { ids: readonly string[]; worker: string; models: readonly string[] },
): Promise<RunRow[]> {
  try {
    return await withStatementTx(db, (tx) => takeRows(tx, options));
  } catch (error) {
    if (!isContention(error)) throw error;
    if (options.ids.length === 1) return [];
    const takes = await Promise.all(options.ids.map((id) => takeUnlocked(db, { ...options, ids: [id] })));
    return takes.flat();
  }
}

/** Another worker offers it and will get the job. */
const ELSEWHERE_SECONDS = 2;
const NOBODY_SECONDS = 15;

/**
 * Requeues jobs that this worker has fetched but cannot serve; their generations are unchanged. Returns the requeued ids;
 * the others no longer need to run.
 */
async function deferUnserved(
  services: Pick<Services, 'db' | 'catalog' | 'offers'>,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await findUntaken(services.db, ids);
  const facts = readServingFacts(services);
  for (const row of rows) {
    const delaySeconds = isServed(row, facts) ? ELSEWHERE_SECONDS : NOBODY_SECONDS;
    const job = { queue: row.pool as RunPool, payload: { generationId: row.id }, delaySeconds };
    await withTx(services.db, (tx) => enqueue(tx, job));
  }
  return rows.map(({ id }) => id);
}
