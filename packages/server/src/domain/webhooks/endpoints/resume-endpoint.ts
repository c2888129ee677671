import type { Tx } from '../../../platform/db.ts';
import { auditEndpoint, type EndpointRow, setEndpointStatus } from './endpoints.store.ts';
import { lockEndpoint } from './lock-endpoint.ts';

/** New events are sent again. What was stopped or held is sent only when asked for: see redeliver-failed. */
export async function resumeEndpoint(
  tx: Tx,
  options: { accountId: string; endpointId: string; actor: string },
): Promise<EndpointRow> {
  const { accountId, endpointId, actor } = options;
  const old = await lockEndpoint(tx, options);
  if (old.status === 'active') return old;
  const row = await setEndpointStatus(tx, { accountId, endpointId, status: 'active', reason: null });
  await auditEndpoint(tx, { actor, action: 'webhook.resumed', accountId, detail: { endpointId } });
  return row;
}
