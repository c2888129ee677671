import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { getEndpoint } from '../endpoints/read-endpoints.ts';
import { type DeliveryLogRow, findDeliveryLog } from './deliveries.store.ts';
import type { DeliveryRow } from './webhooks.store.ts';

const DEFAULT_PAGE = 30;
const MAX_PAGE = 100;

export interface DeliveryQuery {
  readonly accountId: string;
  readonly endpointId: string;
  readonly status?: DeliveryRow['status'];
  /** The last delivery of the previous page. */
  readonly beforeId?: string;
  readonly limit?: number;
}

/** The endpoint's deliveries, newest first, each with all attempts: status, error, latency and the start of the response. */
export async function listDeliveries(
  services: Pick<Services, 'db'>,
  query: DeliveryQuery,
): Promise<readonly DeliveryLogRow[]> {
  return (await listDeliveryPage(services, query)).items;
}

/** A page of them, and whether there is another. */
export async function listDeliveryPage(
  services: Pick<Services, 'db'>,
  query: DeliveryQuery,
): Promise<{ items: readonly DeliveryLogRow[]; hasMore: boolean }> {
  const limit = query.limit ?? DEFAULT_PAGE;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new Problem('invalid_params', `limit must be between 1 and ${MAX_PAGE}.`);
  }
  await getEndpoint(services, query);
  const rows = await findDeliveryLog(services.db, {
    accountId: query.accountId,
    endpointId: query.endpointId,
    status: query.status ?? null,
    beforeId: query.beforeId ?? null,
    // One more than the page tells whether there is another.
    limit: limit + 1,
  });
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}
