import { withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import type { Services } from '../../services.ts';
import { lockEndpoint } from '../endpoints/read-endpoints.ts';
import { findDeliveryEndpoint, redeliverFailedRows, redeliverRow } from './deliveries.store.ts';

/** Sends one delivery again, now, with nine new attempts. The event id stays the same. */
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
    await recordAudit(tx, { actor, action: 'webhook.redelivered', accountId, detail: { endpointId, deliveryId } });
  });
  services.wake(['deliver-webhook']);
}

const BATCH = 500;
const MAX_AT_ONCE = 10_000;

/**
 * Sends again everything of an endpoint that failed, stopped or was held since a time. Small transactions, so that the
 * account's other work can run between them; `more` means that the rest needs another call.
 */
export async function redeliverFailed(
  services: Pick<Services, 'db' | 'wake'>,
  options: { accountId: string; endpointId: string; since: Date; actor: string },
): Promise<{ redelivered: number; more: boolean }> {
  const { accountId, endpointId, since, actor } = options;
  let redelivered = 0;
  for (;;) {
    const count = await withTx(services.db, async (tx) => {
      const endpoint = await lockEndpoint(tx, options);
      if (endpoint.status !== 'active') {
        throw new Problem('invalid_params', 'The endpoint is paused. Resume it, then redeliver.');
      }
      const moved = await redeliverFailedRows(tx, { accountId, endpointId, since, limit: BATCH });
      if (moved > 0) {
        await recordAudit(tx, {
          actor,
          action: 'webhook.redelivered',
          accountId,
          detail: { endpointId, since: since.toISOString(), deliveries: moved },
        });
      }
      return moved;
    });
    redelivered += count;
    if (count > 0) services.wake(['deliver-webhook']);
    if (count < BATCH) return { redelivered, more: false };
    if (redelivered >= MAX_AT_ONCE) return { redelivered, more: true };
  }
}
