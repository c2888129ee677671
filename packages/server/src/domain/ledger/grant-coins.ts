import assert from 'node:assert/strict';
import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { insertTransfer, lockAccountRow } from './ledger.store.ts';

export interface CoinMovement {
  readonly accountId: string;
  readonly coins: number;
  /** Who decided it, and why: both are kept with the row for good. */
  readonly actor: string;
  readonly reason: string;
}

/** New coins for an account: bought, given at sign-up, or granted by the operator. */
export async function grantCoins(tx: Tx, grant: CoinMovement): Promise<void> {
  assert(Number.isSafeInteger(grant.coins) && grant.coins > 0, 'a grant is a whole positive number of coins');
  if (!(await lockAccountRow(tx, grant.accountId))) throw new Problem('not_found', 'There is no such account.');
  await insertTransfer(tx, {
    accountId: grant.accountId,
    kind: 'grant',
    debit: 'issued',
    credit: 'available',
    amount: grant.coins,
    actor: grant.actor,
    reason: grant.reason,
  });
}
