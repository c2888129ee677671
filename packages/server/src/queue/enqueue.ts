import { statement, type Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { Payloads, QueueName } from './queues.ts';

const ENQUEUE = statement(
  'enqueue_job',
  `SELECT enqueue_job(p_queue => $1, p_id => $2, p_data => $3, p_start_after => now() + $4 * interval '1 second')`,
);

/** Adds a job in the caller's transaction: the job exists if and only if the transaction commits. */
export async function enqueue<Q extends QueueName>(
  tx: Tx,
  job: { queue: Q; payload: Payloads[Q]; id?: string; delaySeconds?: number },
): Promise<void> {
  await tx.query(ENQUEUE, [job.queue, job.id ?? newId(), JSON.stringify(job.payload), job.delaySeconds ?? 0]);
}
