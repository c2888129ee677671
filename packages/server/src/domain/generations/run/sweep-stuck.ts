import { withTx } from '../../../platform/db.ts';
import { enqueue } from '../../../queue/enqueue.ts';
import type { RunPool } from '../../../queue/queues.ts';
import type { Services } from '../../services.ts';
import { findStuck } from './runs.store.ts';

const BATCH = 500;

/**
 * The net under the queue: a live generation whose job is gone gets a new one, whose taking settles it when its deadline has
 * passed. In a healthy system it finds nothing. Waiting has no time limit: `listUnserved` shows what no worker serves.
 */
export async function sweepStuck(services: Pick<Services, 'db' | 'wake' | 'log'>): Promise<{ requeued: number }> {
  const stuck = await findStuck(services.db, BATCH);
  for (const row of stuck) {
    services.log.warn('stuck generation requeued', { generationId: row.id, pool: row.pool });
    await withTx(services.db, (tx) => enqueue(tx, { queue: row.pool as RunPool, payload: { generationId: row.id } }));
    services.wake([row.pool]);
  }
  return { requeued: stuck.length };
}
