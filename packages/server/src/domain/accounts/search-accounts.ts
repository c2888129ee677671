import type { Db } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import {
  findAccountsByIds,
  findAccountsByName,
  findOperatorAccount,
  type OperatorAccountRow,
} from './account-search.store.ts';
import type { AccountListRow } from './accounts.store.ts';

const MAX_FOUND = 100;
/** How many of the newest accounts a search by name reads. */
const SCANNED = 100_000;

/** Accounts with these ids, or whose name contains the text; the newest first. */
export function searchAccounts(
  services: { db: Db },
  search: { ids: readonly string[] } | { name: string },
): Promise<AccountListRow[]> {
  if ('ids' in search) return findAccountsByIds(services.db, { ids: search.ids, limit: MAX_FOUND });
  return findAccountsByName(services.db, { part: search.name, limit: MAX_FOUND, scanned: SCANNED });
}

/** An account with its limits and its lock, for the operator. */
export async function getOperatorAccount(services: { db: Db }, accountId: string): Promise<OperatorAccountRow> {
  const account = await findOperatorAccount(services.db, accountId);
  if (account === null) throw new Problem('not_found', 'There is no such account.');
  return account;
}
