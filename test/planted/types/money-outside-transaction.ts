import { grantCoins } from '../../../packages/server/src/domain/ledger/grant-coins.ts';
import type { Db } from '../../../packages/server/src/platform/db.ts';

export async function grantWithoutTransaction(db: Db): Promise<void> {
  const grant = { accountId: 'a', coins: 1, actor: 'test', reason: 'test' };
  await grantCoins(db, grant); // planted
}
