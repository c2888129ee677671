import type { Db } from '../../platform/db.ts';
import { findQueue, type QueueRow } from './runs.store.ts';

/** What waits and runs, by pool and model. */
export function listQueue(services: { db: Db }): Promise<QueueRow[]> {
  return findQueue(services.db);
}
