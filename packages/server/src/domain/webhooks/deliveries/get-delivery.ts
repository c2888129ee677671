import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { type DeliveryLogRow, findDelivery, findLastSentRequest } from './deliveries.store.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { loadDeliveries } from './load-deliveries.ts';

/** The request of a delivery. */
export interface ShownRequest {
  /** True: the bytes of the last failed attempt. False: as it would be sent now, unsigned and with fresh links. */
  readonly exact: boolean;
  readonly method: 'POST';
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface ShownDelivery {
  readonly row: DeliveryLogRow;
  /** Null if its generation was deleted and no failed attempt is recorded. */
  readonly request: ShownRequest | null;
}

/** One delivery with its request and all attempts. */
export async function getDelivery(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'> & { readonly webhookHeaderPrefix: string },
  key: { accountId: string; deliveryId: string },
): Promise<ShownDelivery> {
  const row = await findDelivery(services.db, key);
  if (row === null) throw new Problem('not_found', 'There is no such delivery.');
  const { eventId, eventType } = row;
  const prefix = services.webhookHeaderPrefix;
  const sent = await findLastSentRequest(services.db, key);
  if (sent !== null) {
    const { url, body, signature } = sent;
    const headers = deliveryHeaders({ prefix, eventId, eventType, signature });
    return { row, request: { exact: true, method: 'POST', url, headers, body } };
  }
  const loaded = (await loadDeliveries(services, [key.deliveryId], { ended: true })).get(key.deliveryId);
  if (loaded === undefined || loaded.message === null) return { row, request: null };
  const headers = deliveryHeaders({ prefix, eventId, eventType });
  const body = loaded.message.body.toString();
  return { row, request: { exact: false, method: 'POST', url: loaded.row.url, headers, body } };
}
