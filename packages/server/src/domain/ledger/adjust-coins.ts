import assert from 'node:assert/strict';
import type { Tx } from '../../platform/db.ts';
import { type CoinMovement, type MovedCoins, moveOnce } from './move-once.ts';

/** A correction in either direction. The balance may become negative, as after a chargeback; submits are then refused. */
export function adjustCoins(tx: Tx, adjustment: CoinMovement): Promise<MovedCoins> {
  const { coins } = adjustment;
  assert(Number.isSafeInteger(coins) && coins !== 0, 'an adjustment is a whole number of coins, not zero');
  return moveOnce(tx, adjustment, {
    kind: 'adjust',
    debit: coins > 0 ? 'adjustment' : 'available',
    credit: coins > 0 ? 'available' : 'adjustment',
  });
}
