import type { Tx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { type KeySettings, lockKeySettings, putKeySettings } from './accounts.store.ts';

export interface KeyChange extends Partial<KeySettings> {
  readonly accountId: string;
  readonly keyId: string;
  readonly actor: string;
}

/** Changes the settings of a key; omitted ones stay. A cap below the amount spent blocks only new spending. */
export async function updateApiKey(tx: Tx, change: KeyChange): Promise<KeySettings> {
  const { accountId, keyId, actor } = change;
  const key = { id: keyId, accountId };
  const found = await lockKeySettings(tx, key);
  if (found === null) throw new Problem('not_found', 'There is no such key.');
  const { revoked, ...before } = found;
  if (revoked) throw new Problem('invalid_params', 'The key is revoked and cannot be changed. Create a new one.');
  const after: KeySettings = {
    name: change.name ?? before.name,
    scopes: change.scopes ?? before.scopes,
    rateLimit: change.rateLimit ?? before.rateLimit,
    monthlyCap: change.monthlyCap === undefined ? before.monthlyCap : change.monthlyCap,
    requestCap: change.requestCap === undefined ? before.requestCap : change.requestCap,
    expiresAt: change.expiresAt === undefined ? before.expiresAt : change.expiresAt,
  };
  await putKeySettings(tx, { ...key, ...after });
  const lowered = isLower(after.monthlyCap, before.monthlyCap) || isLower(after.requestCap, before.requestCap);
  const limitsOnly = change.name === undefined && change.scopes === undefined && change.expiresAt === undefined;
  await recordAudit(tx, {
    actor,
    action: lowered ? 'key.cap_lowered' : limitsOnly ? 'key.limits_changed' : 'key.updated',
    accountId,
    detail: { keyId, before, after },
  });
  return after;
}

function isLower(after: number | null, before: number | null): boolean {
  return after !== null && after < (before ?? Number.POSITIVE_INFINITY);
}
