import type { Tx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { type EndpointRow, findEndpoint, lockAccount } from './endpoints.store.ts';

/** The endpoint as it stands now, with its account locked until the transaction ends: see the lock's own comment. */
export async function lockEndpoint(tx: Tx, key: { accountId: string; endpointId: string }): Promise<EndpointRow> {
  const found = (await lockAccount(tx, key.accountId)) ? await findEndpoint(tx, key) : null;
  if (found === null) throw new Problem('not_found', 'There is no such webhook endpoint.');
  return found;
}
