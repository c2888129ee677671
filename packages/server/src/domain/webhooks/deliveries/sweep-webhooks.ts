import { withStatementTx, withTx } from '../../../platform/db.ts';
import { enqueue } from '../../../queue/enqueue.ts';
import { checkEventEpoch } from '../../events/check-event-epoch.ts';
import { listOwners } from '../../people/memberships.ts';
import type { Services } from '../../services.ts';
import { findFailingEndpoints } from '../endpoints/endpoints.store.ts';
import { pauseEndpoint } from '../endpoints/pause-endpoint.ts';
import { lockEndpoint } from '../endpoints/read-endpoints.ts';
import { deleteOldTests, findStuckDeliveries, requeueDeliveries } from './deliveries.store.ts';

export const FAILING_DAYS = 5;
const OVERDUE_SECONDS = 60;
const BATCH = 500;

export interface WebhookSweep {
  readonly requeued: number;
  readonly paused: number;
  readonly testsDeleted: number;
}

/**
 * A safety net for the queue: a delivery whose job is missing gets another one. An endpoint that has failed for days is
 * paused with a reason, and its owners get a mail. In a healthy system it finds nothing.
 */
export async function sweepWebhooks(services: Pick<Services, 'db' | 'wake' | 'log' | 'limits'>): Promise<WebhookSweep> {
  await checkEventEpoch(services);
  const stuck = await findStuckDeliveries(services.db, { overdueSeconds: OVERDUE_SECONDS, limit: BATCH });
  if (stuck.length > 0) {
    services.log.warn('deliveries without a job requeued', { count: stuck.length });
    await withStatementTx(services.db, (tx) => requeueDeliveries(tx, stuck));
    services.wake(['deliver-webhook']);
  }
  let paused = 0;
  for (const failing of await findFailingEndpoints(services.db, { days: FAILING_DAYS, limit: BATCH })) {
    const reason = `Every delivery failed for ${FAILING_DAYS} days. Resume the endpoint once it answers again.`;
    const isPaused = await withTx(services.db, async (tx) => {
      // It may have succeeded since it was found.
      if ((await lockEndpoint(tx, failing)).failingSince === null) return false;
      await pauseEndpoint(tx, { ...failing, actor: 'system', reason });
      for (const { personId } of await listOwners(tx, failing.accountId)) {
        await enqueue(tx, { queue: 'mail-endpoint-paused', payload: { ...failing, personId } });
      }
      return true;
    });
    if (!isPaused) continue;
    paused += 1;
    services.wake(['mail-endpoint-paused']);
    services.log.warn('webhook endpoint paused', { ...failing, reason: 'failing' });
  }
  const testsDeleted = await deleteOldTests(services.db, { days: services.limits.eventRetentionDays, limit: BATCH });
  return { requeued: stuck.length, paused, testsDeleted };
}
