import { randomUUID } from 'node:crypto';
import type { Tx } from '../../platform/db.ts';
import { grantCoins } from '../ledger/grant-coins.ts';
import { createAccount } from './create-account.ts';

/** Settings of a new account. */
export interface AccountDefaults {
  readonly coins: number;
  readonly testCoins: number;
  readonly runLimit: number;
  /** Null if there is no next step. */
  readonly raisedLimit: number | null;
  readonly rateLimit: number;
  readonly keyRateLimit: number;
}

/** An owner has two accounts: a live one, and a test one with test coins whose keys use only the simulator. */
export async function createAccountPair(
  tx: Tx,
  options: { name: string; actor: string; defaults: AccountDefaults },
): Promise<{ ownerId: string; accountId: string; testAccountId: string }> {
  const { name, actor, defaults } = options;
  const ownerId = randomUUID();
  const create = async (mode: 'live' | 'test', coins: number) => {
    const accountId = await createAccount(tx, {
      ownerId,
      mode,
      name,
      runLimit: defaults.runLimit,
      raisedLimit: defaults.raisedLimit,
      rateLimit: defaults.rateLimit,
      actor,
    });
    if (coins > 0) await grantCoins(tx, { accountId, coins, actor, reason: 'coins to start with' });
    return accountId;
  };
  return {
    ownerId,
    accountId: await create('live', defaults.coins),
    testAccountId: await create('test', defaults.testCoins),
  };
}
