import type { Services } from '../../services.ts';
import { type EndpointRow, findEndpoints } from './endpoints.store.ts';

/** The account's endpoints, oldest first. None of them shows its secret. */
export function listEndpoints(services: Pick<Services, 'db'>, accountId: string): Promise<EndpointRow[]> {
  return findEndpoints(services.db, accountId);
}
