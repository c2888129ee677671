import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { getEndpoint } from '../endpoints/read-endpoints.ts';
import { type DeliveryLogRow, findDeliveryLog } from './deliveries.store.ts';
import type { DeliveryRow } from './webhooks.store.ts';

const DEFAULT_PAGE = 30;
const MAX_PAGE = 100;

/** The endpoint's deliveries, newest first, each with all attempts: status, error, latency and the start of the response. */
export async function listDeliveries(
  services: Pick<Services, 'db'>,
  query: {
    accountId: string;
    endpointId: string;
    status?: DeliveryRow['status'];
    /** The last delivery of the previous page. */
    beforeId?: string;
    limit?: number;
  },
): Promise<DeliveryLogRow[]> {
  const limit = query.limit ?? DEFAULT_PAGE;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw new Problem('invalid_params', `limit must be between 1 and ${MAX_PAGE}.`);
  }
  await getEndpoint(services, query);
  return findDeliveryLog(services.db, {
    accountId: query.accountId,
    endpointId: query.endpointId,
    status: query.status ?? null,
    beforeId: query.beforeId ?? null,
    limit,
  });
}
