import { withStatementTx } from '../../platform/db.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import type { Services } from '../services.ts';
import { type RunRow, takeRows } from './runs.store.ts';

export type { RunRow } from './runs.store.ts';

/** Moves these from queued to processing for a worker, or takes them over from one that is gone. What ended meanwhile is not among the answers. */
export async function takeGenerations(
  services: Pick<Services, 'db'>,
  options: { ids: readonly string[]; worker: string },
): Promise<ReadonlyMap<string, RunRow>> {
  await faultPoint('take.before-commit');
  const rows = await withStatementTx(services.db, (tx) => takeRows(tx, options));
  await faultPoint('take.after-commit');
  return new Map(rows.map((row) => [row.id, row]));
}
