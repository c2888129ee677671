import assert from 'node:assert/strict';
import type { Tx } from '../../platform/db.ts';
import { type CoinMovement, type MovedCoins, moveOnce } from './move-once.ts';

/** New coins for an account: purchased, granted at sign-up, or granted by the operator. */
export function grantCoins(tx: Tx, grant: CoinMovement): Promise<MovedCoins> {
  assert(Number.isSafeInteger(grant.coins) && grant.coins > 0, 'a grant is a whole positive number of coins');
  return moveOnce(tx, grant, { kind: 'grant', debit: 'issued', credit: 'available' });
}
