import type { Db } from '../../platform/db.ts';
import { findTransfers, type TransferRow } from './ledger.store.ts';

/** The movements of an account's coins, the newest first. */
export function listTransfers(
  services: { db: Db },
  options: { accountId: string; limit: number },
): Promise<TransferRow[]> {
  return findTransfers(services.db, options);
}
