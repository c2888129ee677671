import { QUOTE_LIFE_SECONDS } from '@atelier/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { readDatabaseTime } from '../../../platform/clock.store.ts';
import { createDatabaseClock, describeSkew } from '../../../platform/clock.ts';
import { createQuote } from '../../quotes/create-quote.ts';
import { createGeneration } from '../submit/create-generation.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { callerOf, createPathServices } from '../testing/create-path-services.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const HOUR_MS = 3_600_000;
const TOLERANCE_MS = 1_000;

afterEach(() => vi.useRealTimers());

/** A machine whose clock is off by this much; the clock of the database is right. */
const onMachine = async (skewMs: number) => {
  vi.useRealTimers();
  // Date does not advance from here on, so the time to open a connection would count as skew.
  await readDatabaseTime(db);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs });
  const clock = await createDatabaseClock({ db }, { measureMs: 60_000 });
  clock.close();
  return clock;
};

test.each([-HOUR_MS, 0, HOUR_MS])(
  'deadlines and links use the time of the database on a machine that is %i ms off',
  async (skewMs) => {
    const clock = await onMachine(skewMs);
    const databaseNow = await readDatabaseTime(db);
    expect(Math.abs(clock.now().getTime() - databaseNow.getTime())).toBeLessThan(TOLERANCE_MS);
    expect(Math.abs(clock.skewMs() - skewMs)).toBeLessThan(TOLERANCE_MS);
  },
);

test('setting the clock while the process runs changes only the skew', async () => {
  const clock = await onMachine(0);
  vi.setSystemTime(Date.now() + HOUR_MS);
  const databaseNow = await readDatabaseTime(db);
  expect(Math.abs(clock.now().getTime() - databaseNow.getTime())).toBeLessThan(TOLERANCE_MS);
  expect(Math.abs(clock.skewMs() - HOUR_MS)).toBeLessThan(TOLERANCE_MS);
});

test('a skew above 30 s is visible in readiness details', async () => {
  expect(describeSkew(await onMachine(29_000))).toEqual({});
  expect(describeSkew(await onMachine(40_000))).toEqual({
    clock: 'the clock of this machine is 40 s ahead of the database clock',
  });
  expect(describeSkew(await onMachine(-HOUR_MS))).toEqual({
    clock: 'the clock of this machine is 3600 s behind the database clock',
  });
});

test('a quote from a machine that is an hour ahead is checked by the database clock on one that is behind', async () => {
  const account = await path.makeAccount();
  const services = createPathServices(db);
  const issuing = { ...services, clock: await onMachine(HOUR_MS) };
  const quote = await createQuote(issuing, callerOf(account), { modelId: 'canvas', params: { prompt: 'x' } });
  vi.useRealTimers();
  const lifeMs = Date.parse(quote.expiresAt) - (await readDatabaseTime(db)).getTime();
  expect(Math.abs(lifeMs - QUOTE_LIFE_SECONDS * 1000)).toBeLessThan(TOLERANCE_MS);

  services.state.perOutput = 9;
  for (const skewMs of [-HOUR_MS, HOUR_MS]) {
    const judging = { ...services, clock: await onMachine(skewMs) };
    const body = { modelId: 'canvas', params: { prompt: 'x' }, quoteToken: quote.quoteToken as string };
    const { generation } = await createGeneration(judging, callerOf(account), {
      body,
      decode: () => body,
      idempotencyKey: `quote-of-a-skewed-machine-${Math.abs(skewMs)}${skewMs > 0}`,
    });
    expect(generation.coinsQuoted, 'the quote lives, so its price holds').toBe(7);
  }
});
