import type { Db, Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { findKey, findKeys, type KeyListRow } from './accounts.store.ts';

/** Beyond that, the oldest revoked and expired keys are not listed. */
const MAX_LISTED = 500;

/** An account's keys for display, usable ones first: prefix and last characters, never the secret. */
export function listApiKeys(services: { db: Db }, accountId: string): Promise<KeyListRow[]> {
  return findKeys(services.db, { accountId, limit: MAX_LISTED });
}

/** One key as the list shows it. */
export async function getApiKey(db: Db | Tx, key: { accountId: string; keyId: string }): Promise<KeyListRow> {
  const found = await findKey(db, { id: key.keyId, accountId: key.accountId });
  if (found === null) throw new Problem('not_found', 'There is no such key.');
  return found;
}
