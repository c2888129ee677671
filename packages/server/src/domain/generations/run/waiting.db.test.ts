import { afterEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { getGeneration } from '../read/get-generation.ts';
import { listGenerations } from '../read/list-generations.ts';
import { listQueue, listUnserved } from '../read/list-queue.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { createServedServices } from '../testing/create-served-services.ts';
import { takeGenerations } from './take-generations.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const offers = new Set<string>();
const services = createServedServices(db, offers);
afterEach(() => offers.clear());

const live = { pool: 'run-local' } as const;
const reasonOf = async (accountId: string, id: string) => {
  const [one, page] = [
    await getGeneration(services, { accountId, id }),
    await listGenerations(services, accountId, { limit: 100 }),
  ];
  expect(page.items.find((item) => item.id === id)?.queueReason).toBe(one.queueReason);
  return one.queueReason;
};

test('queueReason is no_worker while no worker offers the model', async () => {
  const account = await path.makeAccount({ runLimit: 1 });
  const [first, second] = [await path.begin(account, live), await path.begin(account, live)];
  offers.add('local/easel');
  expect(await reasonOf(account.accountId, first)).toBe('capacity');
  expect(await reasonOf(account.accountId, second), 'nothing runs: the limit is not the reason').toBe('capacity');
  offers.clear();
  expect(await reasonOf(account.accountId, first)).toBe('no_worker');
  expect(await reasonOf(account.accountId, second)).toBe('no_worker');
  offers.add('local/easel');
  expect(await reasonOf(account.accountId, first)).toBe('capacity');
  const taken = await takeGenerations(services, { ids: [first], worker: 'w', offered: ['local/easel'] });
  expect(await reasonOf(account.accountId, second)).toBe('account_limit');
  await path.settle(taken.get(first)!);
  expect(await reasonOf(account.accountId, second)).toBe('capacity');
  await path.cancel(account, second);
});

test('the operator sees queued generations that no worker serves, with their age', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  const ids = [await path.begin(account, live), await path.begin(other, live)];
  const gone = await path.begin(account, { pool: 'run-remote', modelId: 'removed' });
  const simulated = await path.begin(account);
  offers.add('comfyui/studio');
  const row = { waiting: 0, processing: 0, oldestSeconds: expect.any(Number), served: false };
  expect(await listUnserved(services)).toEqual([
    { ...row, modelId: 'canvas', pool: 'run-local', queued: 2 },
    { ...row, modelId: 'removed', pool: 'run-remote', queued: 1 },
  ]);
  offers.add('local/easel');
  expect((await listUnserved(services)).map(({ modelId }) => modelId)).toEqual(['removed']);
  expect((await listQueue(services)).map(({ pool, served }) => [pool, served])).toEqual([
    ['run-local', true],
    ['run-remote', false],
    ['run-simulator', true],
  ]);
  for (const id of [...ids, gone, simulated]) await path.cancel(id === ids[1] ? other : account, id);
});

test('a worker leaves a generation that it cannot serve queued, and requeues its job', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account, live);
  await owner.pool.query('DELETE FROM pgboss.job WHERE id = $1', [id]);
  const take = (offered: string[]) => takeGenerations(services, { ids: [id], worker: 'w', offered });
  expect((await take(['comfyui/studio'])).size).toBe(0);
  expect(await path.generationOf(id)).toMatchObject({ status: 'queued', attempt: 0 });
  const jobs = await path.read<{ seconds: number }>(
    `SELECT round(extract(epoch FROM start_after - created_on))::integer AS seconds FROM pgboss.job WHERE data ->> 'generationId' = $1`,
    [id],
  );
  expect(jobs, 'one job, later, since nobody offers it').toEqual([{ seconds: 15 }]);
  const taken = await take(['local/easel']);
  expect(taken.get(id)).toMatchObject({ id, attempt: 1 });
  await path.settle(taken.get(id)!);
});

test('any worker may end a run that is past its deadline', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account, live);
  await takeGenerations(services, { ids: [id], worker: 'w', offered: ['local/easel'] });
  await owner.pool.query(`UPDATE generation SET deadline_at = now() - interval '1 second' WHERE id = $1`, [id]);
  const [run] = (await takeGenerations(services, { ids: [id], worker: 'v', offered: [] })).values();
  expect(run).toMatchObject({ attempt: 2 });
  await path.settle(run!, { error: 'timeout' });
});
