import type { Db } from '../../platform/db.ts';
import { findAvailableCoins } from './accounts.store.ts';

/** The coins that the account can spend. */
export function getAvailableCoins(services: { db: Db }, accountId: string): Promise<number> {
  return findAvailableCoins(services.db, accountId);
}
