import type { Concurrency } from '@atelier/contract';
import type { Db } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { type AccountRow, findAccount } from './accounts.store.ts';

export async function getConcurrency(services: { db: Db }, accountId: string): Promise<Concurrency> {
  const account = await findAccount(services.db, accountId);
  if (account === null) throw new Problem('not_found', 'There is no such account.');
  return concurrencyOf(account);
}

export function concurrencyOf(account: AccountRow): Concurrency {
  return {
    limit: account.runLimit,
    raisedLimit: account.raisedLimit !== null && account.raisedLimit > account.runLimit ? account.raisedLimit : null,
    running: account.running,
    queued: account.queued,
  };
}
