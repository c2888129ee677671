import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { DEFAULT_ACCOUNT_RATE_LIMIT, DEFAULT_RUN_LIMIT } from './account-defaults.ts';
import { insertAccount } from './accounts.store.ts';
import type { AccountMode } from './caller.ts';

export interface NewAccount {
  readonly ownerId: string;
  readonly mode: AccountMode;
  readonly name: string;
  readonly runLimit?: number;
  readonly raisedLimit?: number | null;
  readonly rateLimit?: number;
  /** Who requested it; the owner by default. */
  readonly actor?: string;
}

export async function createAccount(tx: Tx, account: NewAccount): Promise<string> {
  const id = newId();
  await insertAccount(tx, {
    id,
    ownerId: account.ownerId,
    mode: account.mode,
    name: account.name,
    runLimit: account.runLimit ?? DEFAULT_RUN_LIMIT,
    raisedLimit: account.raisedLimit ?? null,
    rateLimit: account.rateLimit ?? DEFAULT_ACCOUNT_RATE_LIMIT,
  });
  await recordAudit(tx, {
    actor: account.actor ?? 'owner',
    action: 'account.created',
    accountId: id,
    detail: { ownerId: account.ownerId, mode: account.mode },
  });
  return id;
}
