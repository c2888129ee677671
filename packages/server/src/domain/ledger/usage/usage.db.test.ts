import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import { eraseAccountGenerations } from '../../generations/erase-account-generations.ts';
import { createMoneyPath, type PathAccount, settlementOf } from '../../generations/testing/create-money-path.ts';
import { createPathServices } from '../../generations/testing/create-path-services.ts';
import { verifyBooks } from '../verify-books.ts';
import { getUsage } from './get-usage.ts';

const database = await openTestDatabase({ connections: 20 });
const { db, owner } = database;
const path = createMoneyPath(database);
const services = createPathServices(db);

const today = () => new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** From yesterday, so that a test that runs at midnight sees both days. */
const usageOf = (account: PathAccount) =>
  getUsage(services, { accountId: account.accountId, from: daysAgo(1), to: today() });

async function brokenUsage(): Promise<string[]> {
  return (await verifyBooks({ db: owner }))
    .filter(({ id, violations }) => id === 'I24' && violations > 0)
    .map(({ id }) => id);
}

test('usage is what was charged, by day, model, key and project', async () => {
  const account = await path.makeAccount({ runLimit: 100 });
  expect(await usageOf(account)).toMatchObject({
    total: { coins: 0, generations: 0 },
    days: [],
    models: [],
    keys: [],
    projects: [],
    isComplete: true,
  });
  const begin = (given: Parameters<typeof path.begin>[1]) => path.begin(account, given);
  await path.finish(await begin({ outputs: 3, projectId: 'spring' }), { outputs: 2 });
  await path.finish(await begin({ outputs: 2, projectId: 'spring', modelId: 'brush', modelName: 'Brush' }), {
    outputs: 2,
  });
  await path.finish(await begin({ keyId: null, channel: 'web' }));
  // Free, and still running: neither is usage.
  await path.finish(await begin({}), { error: 'internal' });
  await path.cancel(account, await begin({}));
  await begin({});
  const usage = await usageOf(account);
  expect(usage.total).toEqual({ coins: 35, generations: 3 });
  expect(usage.days.reduce((sum, { coins }) => sum + coins, 0)).toBe(35);
  expect(usage.models).toEqual([
    { id: 'canvas', name: 'Canvas', coins: 21, generations: 2 },
    { id: 'brush', name: 'Brush', coins: 14, generations: 1 },
  ]);
  expect(usage.keys).toEqual([
    { id: account.keyId, name: 'test', coins: 28, generations: 2 },
    { id: null, name: null, coins: 7, generations: 1 },
  ]);
  expect(usage.projects).toEqual([
    { id: 'spring', name: null, coins: 28, generations: 2 },
    { id: null, name: null, coins: 7, generations: 1 },
  ]);
  expect(usage.isComplete).toBe(true);
  expect(await usageOf(account)).toEqual(usage);
  expect(await brokenUsage()).toEqual([]);
});

test('each capture is counted once, by many readers during settlements, alone and in batches', async () => {
  const account = await path.makeAccount({ runLimit: 1_000 });
  const ids: string[] = [];
  for (let n = 0; n < 120; n += 1) ids.push(await path.begin(account));
  let settling = true;
  const readers = Array.from({ length: 4 }, async () => {
    let last = 0;
    while (settling) {
      const { total } = await usageOf(account);
      expect(total.coins).toBeGreaterThanOrEqual(last);
      last = total.coins;
    }
  });
  await Promise.all([
    (async () => {
      for (const id of ids.slice(0, 60)) await path.finish(id);
    })(),
    (async () => {
      for (let n = 60; n < 120; n += 10) {
        const runs = await Promise.all(ids.slice(n, n + 10).map((id) => path.take(id)));
        await path.settleMany(runs.map((run) => settlementOf(run!)));
      }
    })(),
  ]).finally(() => {
    settling = false;
  });
  await Promise.all(readers);
  expect((await usageOf(account)).total).toEqual({ coins: 840, generations: 120 });
  expect(await brokenUsage()).toEqual([]);
});

test('counting waits for no settlement, and delays none', async () => {
  const account = await path.makeAccount();
  await path.finish(await path.begin(account));
  // The account is locked, as by a submit.
  await holdTransaction(db, async (client) => {
    await client.query('SELECT id FROM account WHERE id = $1 FOR UPDATE', [account.accountId]);
    expect((await usageOf(account)).total.coins).toBe(7);
  });
  const id = await path.begin(account);
  // A reader holds the position.
  await holdTransaction(db, async (client) => {
    await client.query('SELECT transfer_id FROM usage_position WHERE account_id = $1 FOR UPDATE', [account.accountId]);
    await path.finish(id);
  });
  expect((await usageOf(account)).total.coins).toBe(14);
});

test('an account that was never counted needs several requests, and says so', async () => {
  const account = await path.makeAccount({ coins: 0 });
  await owner.pool.query(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
     SELECT $1, 'grant', 'issued', 'available', 1, 'test', 'test' FROM generate_series(1, 50000)`,
    [account.accountId],
  );
  await path.finish(await path.begin(account));
  const requests = [await usageOf(account)];
  while (!requests.at(-1)!.isComplete && requests.length < 20) requests.push(await usageOf(account));
  expect(requests.length).toBeGreaterThan(1);
  expect(requests.at(-1)).toMatchObject({ total: { coins: 7 }, isComplete: true });
});

test('a period with too many rows is not complete', async () => {
  const account = await path.makeAccount();
  await owner.pool.query(
    `INSERT INTO usage_day (account_id, day, model_id, project_id, model_name, generations, coins)
     SELECT $1, $2, 'canvas', 'p' || n, 'Canvas', 1, 1 FROM generate_series(1, 20001) AS n`,
    [account.accountId, today()],
  );
  const usage = await usageOf(account);
  expect(usage.isComplete).toBe(false);
  expect(usage.projects).toHaveLength(50);
  await owner.pool.query('DELETE FROM usage_day WHERE account_id = $1', [account.accountId]);
});

test('an erasure removes the projects, not the coins', async () => {
  const account = await path.makeAccount();
  await path.finish(await path.begin(account, { projectId: 'for my wedding' }));
  expect((await usageOf(account)).projects).toMatchObject([{ id: 'for my wedding' }]);
  await eraseAccountGenerations({ ...services, wake: () => undefined }, account.accountId);
  const usage = await usageOf(account);
  expect(usage.projects).toEqual([{ id: null, name: null, coins: 7, generations: 1 }]);
  expect(await path.read('SELECT 1 FROM usage_day WHERE project_id = $1', ['for my wedding'])).toEqual([]);
  expect(await brokenUsage()).toEqual([]);
});

test.each([
  ['2026-02-30', '2026-03-01'],
  ['2026-03-02', '2026-03-01'],
  ['2026-01-01', '2026-04-03'],
])('a period from %s to %s is refused', async (from, to) => {
  const account = await path.makeAccount();
  await expect(getUsage(services, { accountId: account.accountId, from, to })).rejects.toMatchObject({
    code: 'invalid_params',
  });
});
