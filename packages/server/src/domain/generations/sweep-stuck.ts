import { enqueue } from '../../engine/enqueue.ts';
import type { RunPool } from '../../engine/queues.ts';
import { withStatementTx, withTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { expireQueuedRow, findOverdueQueued, findStuck } from './runs.store.ts';

const MAX_QUEUE_HOURS = 23;
const BATCH = 500;

/**
 * The net under the engine: a live generation whose job is gone gets a new one, whose taking settles it when its deadline
 * has passed; one that waited too long ends. In a healthy system it finds nothing.
 */
export async function sweepStuck(
  services: Pick<Services, 'db' | 'wake' | 'log'>,
): Promise<{ requeued: number; expired: number }> {
  const stuck = await findStuck(services.db, BATCH);
  for (const row of stuck) {
    services.log.warn('a stuck generation was queued again', { generationId: row.id, pool: row.pool });
    await withTx(services.db, (tx) => enqueue(tx, { queue: row.pool as RunPool, payload: { generationId: row.id } }));
    services.wake([row.pool]);
  }
  const overdue = await findOverdueQueued(services.db, { hours: MAX_QUEUE_HOURS, limit: BATCH });
  for (const { id } of overdue) {
    const { wake } = await withStatementTx(services.db, (tx) => expireQueuedRow(tx, id));
    services.wake(wake ?? []);
  }
  return { requeued: stuck.length, expired: overdue.length };
}
