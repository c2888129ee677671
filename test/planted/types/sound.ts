import { grantCoins } from '../../../packages/server/src/domain/ledger/grant-coins.ts';
import { type Db, withTx } from '../../../packages/server/src/platform/db.ts';
import { Problem } from '../../../packages/server/src/platform/problem.ts';

export async function grantInTransaction(db: Db): Promise<void> {
  const grant = { accountId: 'a', coins: 1, actor: 'test', reason: 'test' };
  await withTx(db, (tx) => grantCoins(tx, grant));
  throw new Problem('not_found', 'There is no such account.');
}
