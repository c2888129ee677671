import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { getAccount } from '../../accounts/get-account.ts';
import { getConcurrency } from '../../accounts/get-concurrency.ts';
import { updateApiKey } from '../../accounts/update-api-key.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { callerOf, createPathServices } from '../testing/create-path-services.ts';
import { getGeneration } from './get-generation.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const services = createPathServices(db);

test('the account shows balance, limits and what this key spent and reserved this month', async () => {
  const account = await path.makeAccount({ coins: 100, monthlyCap: 90, runLimit: 3 });
  await withTx(db, (tx) => updateApiKey(tx, { ...account, requestCap: 40, actor: 'test' }));
  await path.finish(await path.begin(account, { outputs: 3 }), { outputs: 2 });
  await path.begin(account);
  await path.begin(account, { keyId: null });
  expect(await getAccount(services, callerOf(account))).toEqual({
    balance: { available: 72, held: 14 },
    concurrency: { limit: 3, raisedLimit: null, running: 0, queued: 2 },
    rateLimits: { key: { limit: 120, windowSeconds: 60 }, account: { limit: 300, windowSeconds: 60 } },
    key: {
      id: account.keyId,
      name: 'test',
      scopes: ['generate', 'read', 'uploads', 'account'],
      monthlySpendCapCoins: 90,
      requestCapCoins: 40,
      spentThisMonthCoins: 21,
      expiresAt: null,
    },
    channel: 'api',
  });
});

test('spending of another month is not shown', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await owner.pool.query(`UPDATE hold SET month = (month - interval '1 month')::date WHERE generation_id = $1`, [id]);
  await owner.pool.query(`UPDATE key_month SET month = (month - interval '1 month')::date WHERE key_id = $1`, [
    account.keyId,
  ]);
  await path.finish(id);
  expect((await getAccount(services, callerOf(account))).key).toMatchObject({ spentThisMonthCoins: 0 });
  expect(await path.monthsOf(account)).toMatchObject([{ reserved: 0, spent: 7 }]);
});

test('concurrency counts running and queued generations', async () => {
  const account = await path.makeAccount({ runLimit: 2 });
  const ids = [await path.begin(account), await path.begin(account), await path.begin(account)];
  const read = () => getConcurrency(services, account.accountId);
  expect(await read()).toEqual({ limit: 2, raisedLimit: null, running: 0, queued: 3 });
  await path.take(ids[0]!);
  expect(await read()).toEqual({ limit: 2, raisedLimit: null, running: 1, queued: 2 });
  await path.finish(ids[0]!);
  expect(await read()).toEqual({ limit: 2, raisedLimit: null, running: 0, queued: 2 });
  await path.setRunLimit(account, 5);
  expect(await read()).toMatchObject({ limit: 5 });
});

test('a raised limit is shown only while it is higher', async () => {
  const account = await path.makeAccount({ runLimit: 2 });
  const raise = (limit: number) =>
    owner.pool.query('UPDATE account SET raised_limit = $2 WHERE id = $1', [account.accountId, limit]);
  await raise(8);
  expect((await getConcurrency(services, account.accountId)).raisedLimit).toBe(8);
  await raise(2);
  expect((await getConcurrency(services, account.accountId)).raisedLimit).toBeNull();
});

test('an unknown account is not found', async () => {
  await expect(getConcurrency(services, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
});

test('only its account can read a generation, with its queue position', async () => {
  const [account, other] = [await path.makeAccount({ runLimit: 1 }), await path.makeAccount()];
  const [first, second] = [await path.begin(account), await path.begin(account)];
  const read = (id: string) => getGeneration(services, { accountId: account.accountId, id });
  expect(await read(second)).toMatchObject({ queuePosition: 2, queueReason: 'capacity', coinsCharged: null });
  await path.take(first);
  expect(await read(first)).toMatchObject({ status: 'processing', queuePosition: null, queueReason: null });
  expect(await read(second)).toMatchObject({ queuePosition: 1, queueReason: 'account_limit' });
  await path.finish(first, { outputs: 1 });
  expect(await read(first)).toMatchObject({ status: 'succeeded', coinsCharged: 7, outputs: [{ kind: 'image' }] });
  await expect(getGeneration(services, { accountId: other.accountId, id: first })).rejects.toMatchObject({
    code: 'not_found',
  });
});
