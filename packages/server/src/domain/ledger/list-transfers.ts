import type { Db } from '../../platform/db.ts';
import { findTransfers, type TransferRow } from './ledger.store.ts';

/** The transfers of an account, newest first. */
export function listTransfers(
  services: { db: Db },
  options: { accountId: string; limit: number },
): Promise<TransferRow[]> {
  return findTransfers(services.db, options);
}
