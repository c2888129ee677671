import type { Tx } from '../../../platform/db.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { setEndpointStatus, stopDeliveries } from './endpoints.store.ts';
import { lockEndpoint } from './read-endpoints.ts';

/** The row stays for its delivery log, without the secret. */
export async function deleteEndpoint(
  tx: Tx,
  options: { accountId: string; endpointId: string; actor: string },
): Promise<void> {
  const { accountId, endpointId, actor } = options;
  await lockEndpoint(tx, options);
  await setEndpointStatus(tx, { accountId, endpointId, status: 'deleted', reason: 'Deleted by the account.' });
  const stopped = await stopDeliveries(tx, {
    accountId,
    endpointId,
    reason: 'The endpoint is deleted.',
    statuses: ['pending', 'held'],
  });
  await recordAudit(tx, {
    actor,
    action: 'webhook.deleted',
    accountId,
    detail: { endpointId, deliveriesStopped: stopped },
  });
}
