import type { Db } from '../../platform/db.ts';
import { findAvailableCoins } from './accounts.store.ts';

/** What the account may spend, and the database's time: quotes expire by the clock that judges money. */
export function getAvailableCoins(services: { db: Db }, accountId: string): Promise<{ available: number; now: Date }> {
  return findAvailableCoins(services.db, accountId);
}
