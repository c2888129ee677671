import { randomUUID } from 'node:crypto';
import { SCOPES, type Scope } from '@atelier/contract';
import { createAccount } from '@atelier/server/domain/accounts/create-account.ts';
import { createApiKey } from '@atelier/server/domain/accounts/create-api-key.ts';
import { grantCoins } from '@atelier/server/domain/ledger/grant-coins.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import type { Stack } from './start-stack.ts';

export interface TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface TestAccountOptions {
  readonly coins?: number;
  readonly runLimit?: number;
  readonly rateLimit?: number;
  readonly keyRateLimit?: number;
  readonly monthlyCap?: number | null;
  readonly scopes?: readonly Scope[];
  readonly mode?: 'live' | 'test';
  /** The cell that the key names. */
  readonly cell?: string;
}

const ROOMY = 1_000_000;

/** An account with one key, created like an operator does. */
export function makeAccount(stack: Pick<Stack, 'db'>, options: TestAccountOptions = {}): Promise<TestAccount> {
  return withTx(stack.db, async (tx) => {
    const accountId = await createAccount(tx, {
      ownerId: randomUUID(),
      mode: options.mode ?? 'test',
      name: 'test',
      rateLimit: options.rateLimit ?? ROOMY,
      ...(options.runLimit === undefined ? {} : { runLimit: options.runLimit }),
    });
    if (options.coins !== 0) {
      await grantCoins(tx, { accountId, coins: options.coins ?? ROOMY, actor: 'test', reason: 'test coins' });
    }
    const { id, key } = await createApiKey(tx, options.cell ?? 'c1', {
      accountId,
      name: 'test',
      scopes: options.scopes ?? SCOPES,
      monthlyCap: options.monthlyCap ?? null,
      rateLimit: options.keyRateLimit ?? ROOMY,
    });
    return { accountId, keyId: id, key };
  });
}

/** Another key of the same account. */
export function makeKey(
  stack: Pick<Stack, 'db'>,
  account: { accountId: string },
  options: {
    scopes?: readonly Scope[];
    monthlyCap?: number;
    requestCap?: number;
    rateLimit?: number;
    expiresAt?: Date;
  } = {},
): Promise<{ id: string; key: string }> {
  return withTx(stack.db, (tx) =>
    createApiKey(tx, 'c1', {
      accountId: account.accountId,
      name: 'another',
      scopes: options.scopes ?? SCOPES,
      monthlyCap: options.monthlyCap ?? null,
      requestCap: options.requestCap ?? null,
      rateLimit: options.rateLimit ?? ROOMY,
      expiresAt: options.expiresAt ?? null,
    }),
  );
}
