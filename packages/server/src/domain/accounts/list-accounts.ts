import type { Db } from '../../platform/db.ts';
import { type AccountListRow, findAccounts } from './accounts.store.ts';

const MAX_SHOWN = 1_000;

/** The newest accounts, for the operator. */
export function listAccounts(services: { db: Db }): Promise<AccountListRow[]> {
  return findAccounts(services.db, MAX_SHOWN);
}
