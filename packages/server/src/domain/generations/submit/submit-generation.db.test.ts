import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { lockAccount } from '../../accounts/lock-account.ts';
import { revokeApiKey } from '../../accounts/revoke-api-key.ts';
import { adjustCoins } from '../../ledger/adjust-coins.ts';
import { createMoneyPath, newFingerprint, type PathAccount } from '../testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

/** A refusal must leave nothing: no generation, no hold, no reservation, no job. */
async function countTraces(account: PathAccount): Promise<number> {
  const [row] = await path.read<{ count: number }>(
    `SELECT (SELECT count(*) FROM generation WHERE account_id = $1) + (SELECT count(*) FROM hold WHERE account_id = $1)
       + (SELECT coalesce(sum(reserved + spent), 0) FROM key_month WHERE key_id = $2)::bigint
       + (SELECT count(*) FROM transfer WHERE account_id = $1 AND kind = 'hold') + (SELECT slots FROM account WHERE id = $1) AS count`,
    [account.accountId, account.keyId],
  );
  return row!.count;
}

describe('an accepted submit', () => {
  test('holds the coins, reserves the monthly budget, takes a slot and adds its job', async () => {
    const account = await path.makeAccount({ coins: 100, monthlyCap: 1_000 });
    const submitted = await path.submit(account, { outputs: 3 });
    expect(submitted).toMatchObject({ outcome: 'created', admitted: true, queuePosition: 1, retryAfter: null });
    const id = submitted.generationId as string;
    expect(await path.accountOf(account)).toMatchObject({ available: 79, held: 21, slots: 1 });
    expect(await path.transfersOf(id)).toEqual([{ kind: 'hold', amount: 21 }]);
    expect(await path.monthsOf(account)).toEqual([{ month: expect.any(String), reserved: 21, spent: 0 }]);
    expect(await path.jobsOf(account)).toEqual([id]);
    expect(await path.generationOf(id)).toEqual({
      status: 'queued',
      admitted: true,
      attempt: 0,
      coins_charged: null,
      error_code: null,
    });
  });

  test('counts in the UTC month in which it was created', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    const [row] = await path.read<{ same: boolean }>(
      `SELECT h.month = date_trunc('month', g.created_at AT TIME ZONE 'UTC')::date AS same
       FROM hold h JOIN generation g ON g.id = h.generation_id WHERE g.id = $1`,
      [id],
    );
    expect(row?.same).toBe(true);
  });

  test('stores each of its inputs once', async () => {
    const account = await path.makeAccount();
    const asset = randomUUID();
    await owner.pool.query(
      `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
       VALUES ($1, $2, 'upload', 'image', 'image/png', 1, sha256('x'), $3, '{}')`,
      [asset, account.accountId, `uploads/${asset}`],
    );
    const id = await path.begin(account, { inputIds: [asset, asset] });
    expect(await path.read('SELECT asset_id FROM generation_input WHERE generation_id = $1', [id])).toEqual([
      { asset_id: asset },
    ]);
  });

  test("cannot use another account's file", async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    const asset = randomUUID();
    await owner.pool.query(
      `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
       VALUES ($1, $2, 'upload', 'image', 'image/png', 1, sha256('x'), $3, '{}')`,
      [asset, other.accountId, `uploads/${asset}`],
    );
    await expect(path.submit(account, { inputIds: [asset] })).rejects.toMatchObject({ code: '23503' });
    expect(await countTraces(account)).toBe(0);
  });

  test("cannot spend through another account's key", async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    await expect(path.submit({ ...account, keyId: other.keyId })).rejects.toMatchObject({ code: '23503' });
    expect(await countTraces(account)).toBe(0);
    expect(await countTraces(other)).toBe(0);
  });
});

describe('a repeated key', () => {
  test('with the same body finds the original and charges nothing', async () => {
    const account = await path.makeAccount({ coins: 7 });
    const given = { idempotencyKey: randomUUID(), fingerprint: newFingerprint() };
    const id = await path.begin(account, given);
    expect(await path.submit(account, given)).toMatchObject({ outcome: 'replayed', generationId: id });
    expect(await path.coinsOf(account)).toEqual({ available: 0, held: 7 });
  });

  test('with another body is a conflict', async () => {
    const account = await path.makeAccount();
    const idempotencyKey = randomUUID();
    const id = await path.begin(account, { idempotencyKey });
    expect(await path.submit(account, { idempotencyKey })).toMatchObject({
      outcome: 'idempotency_conflict',
      generationId: id,
    });
  });

  test('is found after the account is locked and the key revoked', async () => {
    const account = await path.makeAccount({ coins: 7 });
    const given = { idempotencyKey: randomUUID(), fingerprint: newFingerprint() };
    await path.begin(account, given);
    await withTx(db, async (tx) => {
      await lockAccount(tx, { accountId: account.accountId, locked: true, reason: 'test', actor: 'test' });
      await revokeApiKey(tx, { accountId: account.accountId, keyId: account.keyId, actor: 'test' });
    });
    expect(await path.submit(account, given)).toMatchObject({ outcome: 'replayed' });
  });

  test('of another account is independent', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    const given = { idempotencyKey: randomUUID(), fingerprint: newFingerprint() };
    await path.begin(account, given);
    expect(await path.submit(other, given)).toMatchObject({ outcome: 'created' });
  });

  test('stays free when the submit was refused', async () => {
    const account = await path.makeAccount({ coins: 6 });
    const given = { idempotencyKey: randomUUID(), fingerprint: newFingerprint() };
    expect(await path.submit(account, given)).toMatchObject({ outcome: 'insufficient_coins' });
    await withTx(db, (tx) =>
      adjustCoins(tx, { accountId: account.accountId, coins: 1, actor: 'test', reason: 'test' }),
    );
    expect(await path.submit(account, { ...given, fingerprint: newFingerprint() })).toMatchObject({
      outcome: 'created',
    });
  });
});

describe('a refused submit leaves no trace', () => {
  test.each([
    [7, 'created'],
    [6, 'insufficient_coins'],
    [0, 'insufficient_coins'],
  ])('with %i coins for a price of 7: %s', async (coins, outcome) => {
    const account = await path.makeAccount({ coins });
    expect(await path.submit(account)).toMatchObject({ outcome });
    if (outcome !== 'created') expect(await countTraces(account)).toBe(0);
    expect(await path.coinsOf(account)).toEqual(
      outcome === 'created' ? { available: 0, held: 7 } : { available: coins, held: 0 },
    );
  });

  test('with a negative balance after a chargeback', async () => {
    const account = await path.makeAccount({ coins: 10 });
    await withTx(db, (tx) =>
      adjustCoins(tx, { accountId: account.accountId, coins: -30, actor: 'test', reason: 'charge-back' }),
    );
    expect(await path.submit(account)).toMatchObject({ outcome: 'insufficient_coins' });
    expect(await path.coinsOf(account)).toEqual({ available: -20, held: 0 });
  });

  test.each([
    [7, 'created'],
    [6, 'spend_cap_exceeded'],
  ])('under a first cap of %i: %s', async (monthlyCap, outcome) => {
    const account = await path.makeAccount({ monthlyCap });
    expect(await path.submit(account)).toMatchObject({ outcome });
    if (outcome !== 'created') expect(await countTraces(account)).toBe(0);
  });

  test('when held coins fill the cap, but not after their release', async () => {
    const account = await path.makeAccount({ monthlyCap: 20 });
    const id = await path.begin(account, { outputs: 2 });
    expect(await path.submit(account)).toMatchObject({ outcome: 'spend_cap_exceeded' });
    expect(await path.coinsOf(account)).toMatchObject({ held: 14 });
    await path.cancel(account, id);
    expect(await path.submit(account)).toMatchObject({ outcome: 'created' });
  });

  test('when the spent coins equal the cap', async () => {
    const account = await path.makeAccount({ monthlyCap: 21 });
    await path.finish(await path.begin(account, { outputs: 2 }), { outputs: 2 });
    await path.finish(await path.begin(account), { outputs: 1 });
    expect(await path.monthsOf(account)).toMatchObject([{ reserved: 0, spent: 21 }]);
    expect(await path.submit(account)).toMatchObject({ outcome: 'spend_cap_exceeded' });
  });

  test.each([
    [21, 'created'],
    [20, 'budget_exceeded'],
  ])('under a budget of %i that 14 held coins share: %s', async (coins, outcome) => {
    const account = await path.makeAccount();
    const budget = { id: 'session', coins };
    await path.begin(account, { outputs: 2, budget });
    expect(await path.submit(account, { budget })).toMatchObject({ outcome, budgetLeft: coins - 14 });
    expect(await path.coinsOf(account)).toMatchObject({ held: outcome === 'created' ? 21 : 14 });
    expect(await path.monthsOf(account)).toMatchObject([{ reserved: outcome === 'created' ? 21 : 14 }]);
  });

  test('under a budget that charged coins fill, but not after a release, nor in another budget or account', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    const budget = { id: 'session', coins: 14 };
    await path.finish(await path.begin(account, { outputs: 2, budget }), { outputs: 1 });
    const held = await path.begin(account, { budget });
    expect(await path.submit(account, { budget })).toMatchObject({ outcome: 'budget_exceeded', budgetLeft: 0 });
    expect(await path.submit(account, { budget: { ...budget, id: 'next' } })).toMatchObject({ outcome: 'created' });
    expect(await path.submit(other, { budget })).toMatchObject({ outcome: 'created' });
    expect(await path.submit(account)).toMatchObject({ outcome: 'created', budgetLeft: null });
    await path.cancel(account, held);
    expect(await path.submit(account, { budget })).toMatchObject({ outcome: 'created' });
  });

  test('of a locked account', async () => {
    const account = await path.makeAccount();
    const lock = (locked: boolean) =>
      withTx(db, (tx) => lockAccount(tx, { accountId: account.accountId, locked, reason: 'test', actor: 'test' }));
    await lock(true);
    expect(await path.submit(account)).toMatchObject({ outcome: 'account_locked' });
    expect(await countTraces(account)).toBe(0);
    await lock(false);
    expect(await path.submit(account)).toMatchObject({ outcome: 'created' });
  });

  test('through a revoked key, immediately', async () => {
    const account = await path.makeAccount();
    await withTx(db, (tx) => revokeApiKey(tx, { accountId: account.accountId, keyId: account.keyId, actor: 'test' }));
    expect(await path.submit(account)).toMatchObject({ outcome: 'api_key_revoked' });
    expect(await countTraces(account)).toBe(0);
  });

  test('through an expired key', async () => {
    const account = await path.makeAccount({ expiresAt: new Date(Date.now() - 1_000) });
    expect(await path.submit(account)).toMatchObject({ outcome: 'api_key_expired' });
    expect(await countTraces(account)).toBe(0);
    const living = await path.makeAccount({ expiresAt: new Date(Date.now() + 60_000) });
    expect(await path.submit(living)).toMatchObject({ outcome: 'created' });
  });

  test('during a cooldown, with the remaining seconds', async () => {
    const account = await path.makeAccount();
    const cool = (seconds: number) =>
      owner.pool.query(`UPDATE account SET cooldown_until = now() + $2 * interval '1 second' WHERE id = $1`, [
        account.accountId,
        seconds,
      ]);
    await cool(600);
    const refused = await path.submit(account);
    expect(refused.outcome).toBe('cooldown');
    expect(refused.retryAfter).toBeGreaterThan(590);
    expect(refused.retryAfter).toBeLessThanOrEqual(600);
    expect(await countTraces(account)).toBe(0);
    await cool(-1);
    expect(await path.submit(account)).toMatchObject({ outcome: 'created' });
  });
});
