import { withTx } from '../../../platform/db.ts';
import { enqueue } from '../../../queue/enqueue.ts';
import type { RunPool } from '../../../queue/queues.ts';
import type { Services } from '../../services.ts';
import { findStuck } from './runs.store.ts';

const BATCH = 500;

/**
 * A safety net for the queue: a live generation whose job is missing gets a new one; if its deadline has passed, taking it
 * settles it. In a healthy system it finds nothing. Waiting has no time limit: `listUnserved` shows what no worker serves.
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
