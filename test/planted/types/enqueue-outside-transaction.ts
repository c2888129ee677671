import { enqueue } from '../../../packages/server/src/queue/enqueue.ts';
import type { Db } from '../../../packages/server/src/platform/db.ts';

type Job = Parameters<typeof enqueue>[1];

export async function enqueueWithoutTransaction(db: Db, job: Job): Promise<void> {
  await enqueue(db, job); // planted
}
