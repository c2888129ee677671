import { withTx } from '../../../platform/db.ts';
import { enqueue } from '../../../queue/enqueue.ts';
import type { RunPool } from '../../../queue/queues.ts';
import type { Services } from '../../services.ts';
import { findUntaken } from '../read/queue.store.ts';
import { isServed, readServingFacts } from './is-served.ts';

/** Another worker offers it: it gets the job soon. */
const ELSEWHERE_SECONDS = 2;
const NOBODY_SECONDS = 15;

/**
 * Jobs that this worker has fetched and cannot serve come back later, and their generations stay as they are. Answers which
 * of these were put off; the others are no longer to run.
 */
export async function deferUnserved(
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
