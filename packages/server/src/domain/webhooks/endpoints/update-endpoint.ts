import type { Tx } from '../../../platform/db.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { checkEndpoint, type EndpointSettings, type UrlPolicy } from './check-endpoint.ts';
import { type EndpointRow, updateEndpointRow } from './endpoints.store.ts';
import { lockEndpoint } from './read-endpoints.ts';

export interface EndpointChange extends Partial<EndpointSettings> {
  readonly accountId: string;
  readonly endpointId: string;
  readonly actor: string;
}

/** The next attempt of pending deliveries uses the new address. Omitted settings stay. */
export async function updateEndpoint(
  tx: Tx,
  services: { urlPolicy: UrlPolicy },
  change: EndpointChange,
): Promise<EndpointRow> {
  const { accountId, endpointId, actor } = change;
  const old = await lockEndpoint(tx, change);
  const checked = await checkEndpoint(tx, services.urlPolicy, {
    accountId,
    url: change.url ?? old.url,
    events: change.events ?? old.events,
    keyId: change.keyId === undefined ? old.keyId : change.keyId,
  });
  const row = await updateEndpointRow(tx, { accountId, id: endpointId, ...checked });
  await recordAudit(tx, {
    actor,
    action: 'webhook.updated',
    accountId,
    detail: { endpointId, from: { url: old.url, events: old.events, keyId: old.keyId }, to: checked },
  });
  return row;
}
