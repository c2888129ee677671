import type { Tx } from '../../../platform/db.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { type EndpointRow, setEndpointStatus, stopDeliveries } from './endpoints.store.ts';
import { lockEndpoint } from './read-endpoints.ts';

/** Nothing is sent from now on, and pending deliveries stop with a reason. New events are recorded as held deliveries. */
export async function pauseEndpoint(
  tx: Tx,
  options: { accountId: string; endpointId: string; actor: string; reason?: string },
): Promise<EndpointRow> {
  const { accountId, endpointId, actor, reason = 'Paused by the account.' } = options;
  const old = await lockEndpoint(tx, options);
  if (old.status === 'paused') return old;
  const row = await setEndpointStatus(tx, { accountId, endpointId, status: 'paused', reason });
  const stopped = await stopDeliveries(tx, {
    accountId,
    endpointId,
    reason: `The endpoint is paused. ${reason}`,
    statuses: ['pending'],
  });
  await recordAudit(tx, {
    actor,
    action: 'webhook.paused',
    accountId,
    detail: { endpointId, reason, deliveriesStopped: stopped },
  });
  return row;
}

/** New events are sent again. Stopped and held deliveries are sent only on request: see redeliverFailed. */
export async function resumeEndpoint(
  tx: Tx,
  options: { accountId: string; endpointId: string; actor: string },
): Promise<EndpointRow> {
  const { accountId, endpointId, actor } = options;
  const old = await lockEndpoint(tx, options);
  if (old.status === 'active') return old;
  const row = await setEndpointStatus(tx, { accountId, endpointId, status: 'active', reason: null });
  await recordAudit(tx, { actor, action: 'webhook.resumed', accountId, detail: { endpointId } });
  return row;
}
