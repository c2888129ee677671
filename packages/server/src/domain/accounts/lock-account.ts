import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { setAccountLock } from './accounts.store.ts';

/** A locked account can read and cancel, but not quote, submit or upload. */
export async function lockAccount(
  tx: Tx,
  options: { accountId: string; locked: boolean; reason: string; actor: string },
): Promise<void> {
  const found = await setAccountLock(tx, {
    accountId: options.accountId,
    locked: options.locked,
    reason: options.locked ? options.reason : null,
  });
  if (!found) throw new Problem('not_found', 'There is no such account.');
  await recordAudit(tx, {
    actor: options.actor,
    action: options.locked ? 'account.locked' : 'account.unlocked',
    accountId: options.accountId,
    detail: { reason: options.reason },
  });
}
