import assert from 'node:assert/strict';
import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { CoinMovement } from './grant-coins.ts';
import { insertTransfer, lockAccountRow } from './ledger.store.ts';

/** A correction in either direction. It may take the balance below zero, as a charge-back does; submits then wait for coins. */
export async function adjustCoins(tx: Tx, adjustment: CoinMovement): Promise<void> {
  const { coins } = adjustment;
  assert(Number.isSafeInteger(coins) && coins !== 0, 'an adjustment is a whole number of coins, not zero');
  if (!(await lockAccountRow(tx, adjustment.accountId))) throw new Problem('not_found', 'There is no such account.');
  await insertTransfer(tx, {
    accountId: adjustment.accountId,
    kind: 'adjust',
    debit: coins > 0 ? 'adjustment' : 'available',
    credit: coins > 0 ? 'available' : 'adjustment',
    amount: Math.abs(coins),
    actor: adjustment.actor,
    reason: adjustment.reason,
  });
}
