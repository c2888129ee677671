import type { EventType, WebhookEvent } from '@atelier/contract';
import { withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { Services } from '../../services.ts';
import { auditEndpoint } from '../endpoints/endpoints.store.ts';
import { lockEndpoint } from '../endpoints/lock-endpoint.ts';
import { insertTestDelivery } from './deliveries.store.ts';
import { makeTestEvent } from './make-test-event.ts';

/**
 * Sends an event marked `test`, the way real ones go: signed, recorded and shown among the deliveries. It is sent once,
 * also to a paused endpoint, appears in no feed and says nothing about the endpoint's health.
 */
export async function sendTestEvent(
  services: Pick<Services, 'db' | 'wake' | 'clock' | 'cdnUrl'>,
  options: { accountId: string; endpointId: string; type: EventType; actor: string },
): Promise<{ deliveryId: string; event: WebhookEvent }> {
  const { accountId, endpointId, type, actor } = options;
  const event = makeTestEvent({ type, now: services.clock.now(), cdnUrl: services.cdnUrl });
  const deliveryId = newId();
  await withTx(services.db, async (tx) => {
    await lockEndpoint(tx, options);
    await insertTestDelivery(tx, { id: deliveryId, endpointId, accountId, event });
    await auditEndpoint(tx, { actor, action: 'webhook.tested', accountId, detail: { endpointId, deliveryId, type } });
  });
  services.wake(['deliver-webhook']);
  return { deliveryId, event };
}
