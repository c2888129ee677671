import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { insertAccount } from './accounts.store.ts';
import type { AccountMode } from './caller.ts';

export const DEFAULT_RUN_LIMIT = 4;
export const DEFAULT_ACCOUNT_RATE_LIMIT = 300;
export const DEFAULT_KEY_RATE_LIMIT = 120;

export interface NewAccount {
  readonly ownerId: string;
  readonly mode: AccountMode;
  readonly name: string;
  readonly runLimit?: number;
  readonly raisedLimit?: number | null;
  readonly rateLimit?: number;
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
  return id;
}
