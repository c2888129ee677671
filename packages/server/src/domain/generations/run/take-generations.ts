import { withStatementTx } from '../../../platform/db.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import type { Services } from '../../services.ts';
import { deferUnserved } from './defer-unserved.ts';
import { findServedModels } from './is-served.ts';
import { type RunRow, takeRows } from './runs.store.ts';

export type { RunRow } from './runs.store.ts';

/**
 * Moves these from queued to processing for a worker, or takes them over from one that is gone. What ended meanwhile is not
 * among the answers, nor what this worker cannot serve: that stays queued, and its job comes back later.
 */
export async function takeGenerations(
  services: Pick<Services, 'db' | 'catalog' | 'offers'>,
  options: { ids: readonly string[]; worker: string; offered: readonly string[] },
): Promise<ReadonlyMap<string, RunRow>> {
  const { ids, worker } = options;
  const models = findServedModels(services.catalog(), new Set(options.offered));
  await faultPoint('take.before-commit');
  const rows = await withStatementTx(services.db, (tx) => takeRows(tx, { ids, worker, models }));
  await faultPoint('take.after-commit');
  const taken = new Map(rows.map((row) => [row.id, row]));
  const untaken = ids.filter((id) => !taken.has(id));
  if (untaken.length > 0) await deferUnserved(services, untaken);
  return taken;
}
