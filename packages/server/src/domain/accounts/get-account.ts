import type { PublicAccount } from '@atelier/contract';
import type { Db } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { findAccount, findKeyUsage } from './accounts.store.ts';
import type { Caller } from './caller.ts';
import { concurrencyOf } from './get-concurrency.ts';

export const RATE_WINDOW_SECONDS = 60;

export async function getAccount(services: { db: Db }, caller: Caller): Promise<PublicAccount> {
  const [account, key] = await Promise.all([
    findAccount(services.db, caller.accountId),
    caller.keyId === null ? null : findKeyUsage(services.db, { id: caller.keyId, accountId: caller.accountId }),
  ]);
  if (account === null || (key === null && caller.keyId !== null))
    throw new Problem('not_found', 'There is no such account.');
  return {
    balance: { available: account.available, held: account.held },
    concurrency: concurrencyOf(account),
    rateLimits: {
      key: { limit: key?.rateLimit ?? caller.keyRateLimit, windowSeconds: RATE_WINDOW_SECONDS },
      account: { limit: account.rateLimit, windowSeconds: RATE_WINDOW_SECONDS },
    },
    key: key && {
      id: key.id,
      name: key.name,
      scopes: key.scopes,
      monthlySpendCapCoins: key.monthlyCap,
      requestCapCoins: key.requestCap,
      spentThisMonthCoins: key.spent,
      expiresAt: key.expiresAt?.toISOString() ?? null,
    },
    channel: caller.channel,
  };
}
