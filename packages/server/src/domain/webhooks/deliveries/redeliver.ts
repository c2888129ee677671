import { withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { auditEndpoint } from '../endpoints/endpoints.store.ts';
import { lockEndpoint } from '../endpoints/lock-endpoint.ts';
import { findDeliveryEndpoint, redeliverRow } from './deliveries.store.ts';

/** Sends one delivery again, now, with nine attempts of its own. The event id stays the same. */
export async function redeliver(
  services: Pick<Services, 'db' | 'wake'>,
  options: { accountId: string; deliveryId: string; actor: string },
): Promise<void> {
  const { accountId, deliveryId, actor } = options;
  await withTx(services.db, async (tx) => {
    const delivery = await findDeliveryEndpoint(tx, options);
    if (delivery === null) throw new Problem('not_found', 'There is no such delivery.');
    const { endpointId } = delivery;
    const endpoint = await lockEndpoint(tx, { accountId, endpointId });
    if (endpoint.status !== 'active') {
      throw new Problem('invalid_params', 'The endpoint is paused. Resume it, then redeliver.');
    }
    await redeliverRow(tx, options);
    await auditEndpoint(tx, { actor, action: 'webhook.redelivered', accountId, detail: { endpointId, deliveryId } });
  });
  services.wake(['deliver-webhook']);
}
