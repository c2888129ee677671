import type { Services } from '../services.ts';
import { deleteOldEvents } from './events.store.ts';

const BATCH = 1_000;

/** Deletes events older than the retention period, with their deliveries and attempts. Small batches keep the locks short. */
export async function sweepEvents(services: Pick<Services, 'db' | 'limits'>, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await deleteOldEvents(services.db, { days: services.limits.eventRetentionDays, limit: BATCH });
    deleted += count;
    if (count < BATCH || signal.aborted) return deleted;
  }
}
