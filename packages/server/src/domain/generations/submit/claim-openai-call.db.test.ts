import { expect, test, vi } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import type { Db } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../testing/create-money-path.ts';
import { claimOpenaiCall } from './claim-openai-call.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

/** The key of the call that a request with this retry count belongs to. */
const claim = (account: PathAccount, attempt: number | null, body: unknown = 'x') =>
  claimOpenaiCall({ db }, account, { body, attempt });

const age = (account: PathAccount, seconds: number) =>
  owner.pool.query(`UPDATE openai_call SET seen_at = seen_at - $2 * interval '1 second' WHERE account_id = $1`, [
    account.accountId,
    seconds,
  ]);

test('a first attempt is a call of its own, and its retries continue it', async () => {
  const account = await path.makeAccount();
  const first = await claim(account, 0);
  expect(await claim(account, 1)).toBe(first);
  expect(await claim(account, 2)).toBe(first);
  const second = await claim(account, 0);
  expect(second).not.toBe(first);
  expect(await claim(account, 1)).toBe(second);
});

test('a retry whose first attempt never arrived is a call', async () => {
  const account = await path.makeAccount();
  const retry = await claim(account, 1);
  expect(await claim(account, 2)).toBe(retry);
});

test('a first attempt that its retry overtook continues the same call, once', async () => {
  const account = await path.makeAccount();
  const retry = await claim(account, 1);
  expect(await claim(account, 0)).toBe(retry);
  expect(await claim(account, 0)).not.toBe(retry);
});

test('the retries of two identical calls continue one each', async () => {
  const account = await path.makeAccount();
  const calls = [await claim(account, 0), await claim(account, 0)];
  const retries = [await claim(account, 1), await claim(account, 1)];
  expect(new Set(retries)).toEqual(new Set(calls));
});

test('ten concurrent retries make one call', async () => {
  const account = await path.makeAccount();
  const keys = await Promise.all(Array.from({ length: 10 }, (_, n) => claim(account, n + 1)));
  expect(new Set(keys).size).toBe(1);
});

test('a retry waits for an identical one that has not ended, and continues its call', async () => {
  const account = await path.makeAccount();
  await holdTransaction(owner, async (client) => {
    const unended = { pool: client } as unknown as Db;
    const first = await claimOpenaiCall({ db: unended }, account, { body: 'x', attempt: 1 });
    let hasEnded = false;
    const second = claim(account, 2).finally(() => {
      hasEnded = true;
    });
    await vi.waitFor(
      async () => {
        const waiting = await path.read(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(hasEnded || waiting.length > 0).toBe(true);
      },
      { timeout: 30_000 },
    );
    await client.query('COMMIT');
    expect(await second).toBe(first);
  });
});

test('ten concurrent first attempts make ten calls', async () => {
  const account = await path.makeAccount();
  const keys = await Promise.all(Array.from({ length: 10 }, () => claim(account, 0)));
  expect(new Set(keys).size).toBe(10);
});

test('a client that does not count repeats its call for a minute', async () => {
  const account = await path.makeAccount();
  const first = await claim(account, null);
  expect(await claim(account, null)).toBe(first);
  await age(account, 61);
  expect(await claim(account, null)).not.toBe(first);
});

test('a retry continues its call for fifteen minutes', async () => {
  const account = await path.makeAccount();
  const first = await claim(account, 0);
  await age(account, 890);
  expect(await claim(account, 1)).toBe(first);
  await age(account, 901);
  expect(await claim(account, 2)).not.toBe(first);
});

test.each([null, 1])('a call is continued for as long as its generation runs, with retry count %j', async (attempt) => {
  const account = await path.makeAccount();
  const first = await claim(account, 0);
  const id = await path.begin(account, { idempotencyKey: first });
  await age(account, 10_000);
  expect(await claim(account, attempt)).toBe(first);
  await age(account, 10_000);
  await path.finish(id);
  expect(await claim(account, attempt)).toBe(first);
});

test.each(['failed', 'canceled'])('a retry of a call that %s is a new call: it was refunded', async (end) => {
  const account = await path.makeAccount();
  const first = await claim(account, 0);
  const id = await path.begin(account, { idempotencyKey: first });
  if (end === 'failed') await path.finish(id, { error: 'internal' });
  else await path.cancel(account, id);
  expect(await claim(account, 1)).not.toBe(first);
});

test('another body, key or account is another call', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  const keys = [
    await claim(account, 1),
    await claim(account, 1, 'y'),
    await claim(other, 1),
    await claim({ ...account, keyId: other.keyId }, 1),
  ];
  expect(new Set(keys).size).toBe(4);
});

test('old calls are removed', async () => {
  const account = await path.makeAccount();
  await claim(account, 0);
  await age(account, 100_000);
  await claim(account, 0, 'y');
  const rows = await path.read('SELECT id FROM openai_call WHERE account_id = $1', [account.accountId]);
  expect(rows).toHaveLength(1);
});
