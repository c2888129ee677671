import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { withTx } from '../../platform/db.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';
import { adjustCoins } from './adjust-coins.ts';
import { grantCoins } from './grant-coins.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const movement = (accountId: string, coins: number) => ({ accountId, coins, actor: 'operator', reason: 'a reason' });
const grant = (accountId: string, coins: number) => withTx(db, (tx) => grantCoins(tx, movement(accountId, coins)));
const adjust = (accountId: string, coins: number) => withTx(db, (tx) => adjustCoins(tx, movement(accountId, coins)));

describe('a grant', () => {
  test('adds coins and records actor and reason', async () => {
    const account = await path.makeAccount({ coins: 0 });
    await grant(account.accountId, 25);
    expect(await path.coinsOf(account)).toEqual({ available: 25, held: 0 });
    const rows = await path.read(
      'SELECT kind, debit, credit, amount, actor, reason FROM transfer WHERE account_id = $1',
      [account.accountId],
    );
    expect(rows).toEqual([
      { kind: 'grant', debit: 'issued', credit: 'available', amount: 25, actor: 'operator', reason: 'a reason' },
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('of %d coins is refused', async (coins) => {
    const account = await path.makeAccount({ coins: 0 });
    await expect(grant(account.accountId, coins)).rejects.toThrow('a grant is a whole positive number');
    expect(await path.coinsOf(account)).toEqual({ available: 0, held: 0 });
  });

  test('to an unknown account is refused', async () => {
    await expect(grant(randomUUID(), 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(adjust(randomUUID(), 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('in a transaction that fails has no effect', async () => {
    const account = await path.makeAccount({ coins: 0 });
    const failing = withTx(db, async (tx) => {
      await grantCoins(tx, movement(account.accountId, 10));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await path.coinsOf(account)).toEqual({ available: 0, held: 0 });
  });

  test('fifty concurrent grants add up', async () => {
    const account = await path.makeAccount({ coins: 0 });
    await Promise.all(Array.from({ length: 50 }, (_, n) => grant(account.accountId, n + 1)));
    expect(await path.coinsOf(account)).toEqual({ available: 1275, held: 0 });
  });
});

describe('an adjustment', () => {
  test('can be positive or negative, even below zero, and does not change held coins', async () => {
    const account = await path.makeAccount({ coins: 10 });
    await path.begin(account);
    await adjust(account.accountId, 5);
    expect(await path.coinsOf(account)).toEqual({ available: 8, held: 7 });
    await adjust(account.accountId, -20);
    expect(await path.coinsOf(account)).toEqual({ available: -12, held: 7 });
  });

  test.each([0, 0.5, Number.POSITIVE_INFINITY])('of %d coins is refused', async (coins) => {
    const account = await path.makeAccount();
    await expect(adjust(account.accountId, coins)).rejects.toThrow('an adjustment is a whole number');
  });
});
