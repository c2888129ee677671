import type { Tx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { type EndpointRow, findEndpoint, findEndpoints, lockAccountRow } from './endpoints.store.ts';

export async function getEndpoint(
  services: Pick<Services, 'db'>,
  key: { accountId: string; endpointId: string },
): Promise<EndpointRow> {
  const found = await findEndpoint(services.db, key);
  if (found === null) throw new Problem('not_found', 'There is no such webhook endpoint.');
  return found;
}

/** The account's endpoints, oldest first, without secrets. */
export function listEndpoints(services: Pick<Services, 'db'>, accountId: string): Promise<EndpointRow[]> {
  return findEndpoints(services.db, accountId);
}

/** The current endpoint, with its account locked until the transaction ends: see lockAccount. */
export async function lockEndpoint(tx: Tx, key: { accountId: string; endpointId: string }): Promise<EndpointRow> {
  const found = (await lockAccountRow(tx, key.accountId)) ? await findEndpoint(tx, key) : null;
  if (found === null) throw new Problem('not_found', 'There is no such webhook endpoint.');
  return found;
}
