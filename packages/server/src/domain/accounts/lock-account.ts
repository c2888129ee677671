import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { findAccountLock, setAccountLock } from './accounts.store.ts';

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

const DISPUTED = 'A payment is disputed.';

/** The lock of an operator stays as it is. */
export async function lockForDispute(
  tx: Tx,
  { accountId, actor }: { accountId: string; actor: string },
): Promise<void> {
  if ((await findAccountLock(tx, accountId)).isLocked) return;
  await lockAccount(tx, { accountId, locked: true, reason: DISPUTED, actor });
}

/** Ends the lock for a dispute, and no other. */
export async function unlockAfterDispute(
  tx: Tx,
  { accountId, actor }: { accountId: string; actor: string },
): Promise<void> {
  if ((await findAccountLock(tx, accountId)).reason !== DISPUTED) return;
  await lockAccount(tx, { accountId, locked: false, reason: 'The dispute was won.', actor });
}
