import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { revokeKey } from './accounts.store.ts';

export async function revokeApiKey(
  tx: Tx,
  options: { accountId: string; keyId: string; actor: string },
): Promise<void> {
  if (!(await revokeKey(tx, { id: options.keyId, accountId: options.accountId }))) {
    throw new Problem('not_found', 'There is no such key.');
  }
  await recordAudit(tx, {
    actor: options.actor,
    action: 'key.revoked',
    accountId: options.accountId,
    detail: { keyId: options.keyId },
  });
}
