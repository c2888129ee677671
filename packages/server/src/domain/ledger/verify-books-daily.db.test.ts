import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import type { Log } from '../../platform/log.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';
import { TEST_LIMITS } from '../generations/testing/test-limits.ts';
import { createOpenWorkReader } from '../operator/read-open-work.ts';
import { verifyBooksDaily } from './verify-books-daily.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

const logged: object[] = [];
const log = { error: (_message: string, fields: object) => logged.push(fields) } as unknown as Log;
const check = (signal = new AbortController().signal) =>
  verifyBooksDaily({ db, slowDb: db, limits: TEST_LIMITS, log }, signal);
const readOutcome = async () => (await createOpenWorkReader({ db })())?.books ?? null;
const ageOutcome = (hours: number) =>
  owner.pool.query('UPDATE books_check SET checked_at = now() - make_interval(hours => $1)', [hours]);
const addCoins = (accountId: string, coins: number) =>
  owner.pool.query('UPDATE account SET available = available + $2 WHERE id = $1', [accountId, coins]);

test('a worker that stops stores no outcome', async () => {
  await expect(check(AbortSignal.abort(new Error('worker stopping')))).rejects.toThrow('worker stopping');
  expect(await readOutcome()).toBeNull();
});

test('the books are checked at once if they never were, then once a day, and a violation is logged', async () => {
  const { accountId } = await path.makeAccount();
  await check();
  expect(await readOutcome()).toMatchObject({ violations: 0 });
  await addCoins(accountId, 1);
  await ageOutcome(23);
  await check();
  expect(await readOutcome()).toMatchObject({ violations: 0 });
  expect(logged).toEqual([]);
  await ageOutcome(25);
  await check();
  expect((await readOutcome())?.violations).toBeGreaterThan(0);
  expect(logged).toContainEqual({ reason: 'I1: each balance is the fold of its transfers', count: 1 });
  await addCoins(accountId, -1);
  await ageOutcome(25);
  await check();
  expect(await readOutcome()).toMatchObject({ violations: 0 });
});
