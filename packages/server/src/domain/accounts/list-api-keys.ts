import type { Db } from '../../platform/db.ts';
import { findKeys, type KeyListRow } from './accounts.store.ts';

/** An account's keys as people may see them: the beginning and the end, never the secret. */
export function listApiKeys(services: { db: Db }, accountId: string): Promise<KeyListRow[]> {
  return findKeys(services.db, accountId);
}
