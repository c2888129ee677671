import type { Db } from '../../platform/db.ts';
import { findKeys, type KeyListRow } from './accounts.store.ts';

/** An account's keys for display: prefix and last characters, never the secret. */
export function listApiKeys(services: { db: Db }, accountId: string): Promise<KeyListRow[]> {
  return findKeys(services.db, accountId);
}
