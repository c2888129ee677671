import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createLog } from '../../../platform/log.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { createGenerationWaits, type GenerationWaits } from './generation-waits.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const LONG = { timeoutMs: 60_000, signal: new AbortController().signal };

let waits: GenerationWaits;
beforeEach(() => {
  waits = createGenerationWaits({ db, log: createLog({ level: 'silent' }) }, { perProcess: 2_000, perAccount: 100 });
});
afterEach(() => waits.close());

test('a wait ends with its generation, and not with another one', async () => {
  const account = await path.makeAccount();
  const [first, second] = [await path.begin(account), await path.begin(account)];
  const place = waits.take(account.accountId);
  const ended: string[] = [];
  const both = [first, second].map((id) => place.until(id, LONG).then((has) => has && ended.push(id)));
  await path.finish(second);
  await both[1];
  expect(ended).toEqual([second]);
  await path.finish(first, { error: 'internal' });
  await Promise.all(both);
  expect(ended).toEqual([second, first]);
});

test('a wait for a generation of another account does not end', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  const id = await path.begin(account);
  await path.finish(id);
  expect(await waits.take(account.accountId).until(id, LONG)).toBe(true);
  expect(await waits.take(other.accountId).until(id, { ...LONG, timeoutMs: 1_500 })).toBe(false);
});

test('a wait ends at its time limit, when the client disconnects, and at a shutdown', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  const place = waits.take(account.accountId);
  expect(await place.until(id, { ...LONG, timeoutMs: 1 })).toBe(false);
  const leaving = new AbortController();
  const left = place.until(id, { ...LONG, signal: leaving.signal });
  leaving.abort();
  expect(await left).toBe(false);
  expect(await place.until(id, { ...LONG, signal: leaving.signal })).toBe(false);
  const last = place.until(id, LONG);
  waits.close();
  expect(await last).toBe(false);
  expect(() => waits.take(account.accountId)).toThrow(expect.objectContaining({ code: 'unavailable' }));
});

test('an account has 100 places; a place that is left is free', async () => {
  const places = Array.from({ length: 100 }, () => waits.take('full'));
  expect(() => waits.take('full')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  waits.take('other').leave();
  places[0]?.leave();
  places[0]?.leave();
  waits.take('full');
  expect(() => waits.take('full')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
});
