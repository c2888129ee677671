import type { Channel, Scope } from '@atelier/contract';
import type { Db } from '../../platform/db.ts';
import { accountMoved } from '../../platform/problem.ts';
import { findSessionAccount } from './accounts.store.ts';
import type { Caller } from './caller.ts';

/** The caller of a request by a signed-in person, who has no key; null if there is no such account. */
export async function findSessionCaller(
  services: { db: Db },
  session: { accountId: string; scopes: readonly Scope[]; channel: Channel },
): Promise<Caller | null> {
  const account = await findSessionAccount(services.db, session.accountId);
  if (account === null) return null;
  if (account.moved) throw accountMoved();
  const { mode, locked, rateLimit } = account;
  return {
    ...session,
    mode,
    locked,
    keyId: null,
    keyRateLimit: rateLimit,
    accountRateLimit: rateLimit,
    requestCap: null,
  };
}
