import { PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createLog } from '../../../platform/log.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { sweepStuck } from './sweep-stuck.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const woken: string[] = [];
const services = {
  db,
  wake: (queues: readonly string[]) => void woken.push(...queues),
  log: createLog({ level: 'silent', destination: new PassThrough() }),
};
afterEach(() => {
  woken.length = 0;
});

const age = (id: string, seconds: number) =>
  owner.pool.query(`UPDATE generation SET created_at = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds]);
const loseJob = (id: string) => owner.pool.query('DELETE FROM pgboss.job WHERE id = $1', [id]);

test('a healthy system has nothing to sweep', async () => {
  const account = await path.makeAccount({ runLimit: 1 });
  const [admitted, waiting] = [await path.begin(account), await path.begin(account)];
  await age(admitted, 100);
  await age(waiting, 90);
  expect(await sweepStuck(services)).toEqual({ requeued: 0 });
});

test('an admitted generation whose job is missing gets a new one, once', async () => {
  const account = await path.makeAccount({ runLimit: 1 });
  const [admitted, waiting] = [await path.begin(account), await path.begin(account)];
  await age(admitted, 100);
  await age(waiting, 90);
  await loseJob(admitted);
  expect(await sweepStuck(services)).toEqual({ requeued: 1 });
  expect(await path.jobsOf(account)).toEqual([admitted]);
  expect(woken).toEqual(['run-simulator']);
  expect(await sweepStuck(services)).toEqual({ requeued: 0 });
  await path.finish(admitted);
  await path.finish(waiting);
});

test('a new generation is not swept', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await loseJob(id);
  expect(await sweepStuck(services)).toEqual({ requeued: 0 });
  await path.cancel(account, id);
});

test('waiting has no time limit: a generation that waited for a year is still queued, with its coins held', async () => {
  const account = await path.makeAccount({ runLimit: 1, coins: 100 });
  const [admitted, waiting] = [await path.begin(account), await path.begin(account)];
  await age(admitted, 365 * 86_400);
  await age(waiting, 364 * 86_400);
  expect(await sweepStuck(services)).toEqual({ requeued: 0 });
  for (const id of [admitted, waiting]) expect(await path.generationOf(id)).toMatchObject({ status: 'queued' });
  expect(await path.coinsOf(account)).toEqual({ available: 86, held: 14 });
  await path.finish(admitted);
  expect(await path.finish(waiting)).toMatchObject({ outcome: 'settled' });
});
