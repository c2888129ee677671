import type { Scope } from '@atelier/contract';
import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { DEFAULT_KEY_RATE_LIMIT } from './account-defaults.ts';
import { countUsableKeys, findAccountMode, insertKey } from './accounts.store.ts';
import { newApiKey } from './api-key.ts';

/** Usable keys of one account; revoked and expired ones do not count. */
const MAX_KEYS = 500;

export interface NewApiKey {
  /** Given if it must be created only once; a second time violates the primary key. */
  readonly id?: string;
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly monthlyCap?: number | null;
  /** Coins that one request may cost. */
  readonly requestCap?: number | null;
  readonly rateLimit?: number;
  readonly expiresAt?: Date | null;
  /** Who requested it; the owner of the account by default. */
  readonly actor?: string;
}

/** The key is in this response only; it is not stored. */
export async function createApiKey(tx: Tx, cell: string, options: NewApiKey): Promise<{ id: string; key: string }> {
  const mode = await findAccountMode(tx, options.accountId);
  if (mode === null) throw new Problem('not_found', 'There is no such account.');
  if ((await countUsableKeys(tx, options.accountId)) >= MAX_KEYS) {
    throw new Problem('invalid_params', `An account has at most ${MAX_KEYS} usable keys. Revoke one first.`);
  }
  const made = newApiKey({ cell, mode });
  const id = options.id ?? newId();
  await insertKey(tx, {
    id,
    accountId: options.accountId,
    name: options.name,
    hash: made.hash,
    prefix: made.prefix,
    last4: made.last4,
    scopes: options.scopes,
    monthlyCap: options.monthlyCap ?? null,
    rateLimit: options.rateLimit ?? DEFAULT_KEY_RATE_LIMIT,
    expiresAt: options.expiresAt ?? null,
    requestCap: options.requestCap ?? null,
  });
  await recordAudit(tx, {
    actor: options.actor ?? 'owner',
    action: 'key.created',
    accountId: options.accountId,
    detail: {
      keyId: id,
      scopes: options.scopes,
      monthlyCap: options.monthlyCap ?? null,
      requestCap: options.requestCap ?? null,
    },
  });
  return { id, key: made.key };
}
