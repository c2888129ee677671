import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { type KeyLimits, lockKeyLimits, putKeyLimits } from './accounts.store.ts';

/** Changes the rate limit or monthly cap of a key; omitted values stay. A cap below the amount spent blocks only new spending. */
export async function setKeyLimits(
  tx: Tx,
  options: { accountId: string; keyId: string; rateLimit?: number; monthlyCap?: number | null; actor: string },
): Promise<KeyLimits> {
  const key = { id: options.keyId, accountId: options.accountId };
  const before = await lockKeyLimits(tx, key);
  if (before === null) throw new Problem('not_found', 'There is no such key.');
  const after: KeyLimits = {
    rateLimit: options.rateLimit ?? before.rateLimit,
    monthlyCap: options.monthlyCap === undefined ? before.monthlyCap : options.monthlyCap,
  };
  await putKeyLimits(tx, { ...key, ...after });
  const lowered = after.monthlyCap !== null && after.monthlyCap < (before.monthlyCap ?? Number.POSITIVE_INFINITY);
  await recordAudit(tx, {
    actor: options.actor,
    action: lowered ? 'key.cap_lowered' : 'key.limits_changed',
    accountId: options.accountId,
    detail: { keyId: options.keyId, before, after },
  });
  return after;
}
