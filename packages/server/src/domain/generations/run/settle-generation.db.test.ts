import { describe, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import { createTelemetry } from '../../../platform/telemetry.ts';
import { createMoneyPath, type PathAccount, sampleOutput } from '../testing/create-money-path.ts';
import { TEST_LIMITS } from '../testing/test-limits.ts';
import { createSettler } from './create-settler.ts';
import { settleGeneration } from './settle-generation.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

describe('the coins of a settlement', () => {
  test.each([
    [3, 3, 21, 0],
    [3, 2, 14, 7],
    [3, 1, 7, 14],
    [1, 1, 7, 0],
  ])('%i requested, %i delivered: %i captured, %i released', async (outputs, delivered, captured, released) => {
    const account = await path.makeAccount({ coins: 100, monthlyCap: 100 });
    const id = await path.begin(account, { outputs });
    expect(await path.finish(id, { outputs: delivered })).toEqual({ outcome: 'settled', wake: [] });
    expect(await path.generationOf(id)).toMatchObject({ status: 'succeeded', coins_charged: captured });
    expect(await path.transfersOf(id)).toEqual([
      { kind: 'hold', amount: 7 * outputs },
      { kind: 'capture', amount: captured },
      ...(released > 0 ? [{ kind: 'release', amount: released }] : []),
    ]);
    expect(await path.accountOf(account)).toMatchObject({ available: 100 - captured, held: 0, slots: 0 });
    expect(await path.monthsOf(account)).toMatchObject([{ reserved: 0, spent: captured }]);
    const assets = await path.read('SELECT position FROM asset WHERE generation_id = $1 ORDER BY position', [id]);
    expect(assets).toEqual(Array.from({ length: delivered }, (_, position) => ({ position })));
  });

  test('a failure costs nothing and releases the whole hold', async () => {
    const account = await path.makeAccount({ coins: 100, monthlyCap: 100 });
    const id = await path.begin(account, { outputs: 4 });
    await path.finish(id, { error: 'timeout' });
    expect(await path.generationOf(id)).toMatchObject({ status: 'failed', coins_charged: 0, error_code: 'timeout' });
    expect(await path.transfersOf(id)).toEqual([
      { kind: 'hold', amount: 28 },
      { kind: 'release', amount: 28 },
    ]);
    expect(await path.coinsOf(account)).toEqual({ available: 100, held: 0 });
    expect(await path.monthsOf(account)).toMatchObject([{ reserved: 0, spent: 0 }]);
  });

  test('no output is a failure, even if the caller reports success', async () => {
    const account = await path.makeAccount({ coins: 7 });
    const id = await path.begin(account);
    await path.finish(id, { outputs: 0 });
    expect(await path.generationOf(id)).toMatchObject({ status: 'failed', coins_charged: 0, error_code: 'internal' });
    expect(await path.coinsOf(account)).toEqual({ available: 7, held: 0 });
  });

  test('more outputs than were paid for are refused as a whole', async () => {
    const account = await path.makeAccount({ coins: 7 });
    const id = await path.begin(account);
    await expect(path.finish(id, { outputs: 2 })).rejects.toMatchObject({ code: '23514' });
    expect(await path.generationOf(id)).toMatchObject({ status: 'processing', coins_charged: null });
    expect(await path.coinsOf(account)).toEqual({ available: 0, held: 7 });
  });

  test('an output that cannot be recorded rolls back the whole settlement', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account, { outputs: 2 });
    const run = await path.take(id);
    const twice = sampleOutput(0);
    const services = {
      settler: createSettler({ db }),
      wake: () => {},
      telemetry: createTelemetry(),
      limits: TEST_LIMITS,
    };
    const settlement = { id, attempt: run!.attempt, error: null };
    await expect(settleGeneration(services, { ...settlement, assets: [twice, twice] })).rejects.toThrow();
    expect(await path.generationOf(id)).toMatchObject({ status: 'processing' });
    expect(await path.transfersOf(id)).toHaveLength(1);
    expect(await settleGeneration(services, { ...settlement, assets: [twice] })).toBe('settled');
    expect(await settleGeneration(services, { ...settlement, assets: [twice] })).toBe('fenced');
    expect((await services.telemetry.fencedSettlements.get()).values[0]?.value).toBe(1);
  });
});

describe('the fence', () => {
  test('refuses an outdated worker, and the latest one settles', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    const first = await path.take(id, 'first');
    const second = await path.take(id, 'second');
    expect(await path.settle(first!)).toEqual({ outcome: 'fenced', wake: null });
    expect(await path.generationOf(id)).toMatchObject({ status: 'processing', attempt: 2 });
    expect(await path.settle(second!)).toMatchObject({ outcome: 'settled' });
    expect(await path.settle(second!)).toEqual({ outcome: 'fenced', wake: null });
  });

  test('refuses a generation that is queued, canceled or unknown', async () => {
    const account = await path.makeAccount();
    const [queued, canceled] = [await path.begin(account), await path.begin(account)];
    await path.cancel(account, canceled);
    for (const id of [queued, canceled, account.accountId]) {
      expect(await path.settle({ id, attempt: 0 })).toEqual({ outcome: 'fenced', wake: null });
    }
    expect(await path.generationOf(queued)).toMatchObject({ status: 'queued' });
  });

  test('settles ten generations once each with five concurrent settlements of each', async () => {
    const account = await path.makeAccount({ runLimit: 10 });
    const ids = await Promise.all(Array.from({ length: 10 }, () => path.begin(account)));
    const runs = await Promise.all(ids.map((id) => path.take(id)));
    const answers = await Promise.all(
      runs.flatMap((run) =>
        Array.from({ length: 5 }, (_, n) => path.settle(run!, n % 2 === 0 ? {} : { error: 'internal' })),
      ),
    );
    expect(answers.filter(({ outcome }) => outcome === 'settled')).toHaveLength(10);
    expect(await path.accountOf(account)).toMatchObject({ held: 0, slots: 0 });
  });
});

describe('the month of the hold', () => {
  const months = async (account: PathAccount) =>
    (await path.monthsOf(account)).map(({ reserved, spent }) => [reserved, spent]);

  test('gets the released and captured coins, even after the month is over', async () => {
    const account = await path.makeAccount({ monthlyCap: 100 });
    const [canceled, partial, current] = [
      await path.begin(account, { outputs: 3 }),
      await path.begin(account, { outputs: 2 }),
      await path.begin(account),
    ];
    await path.moveToLastMonth(account, canceled);
    await path.moveToLastMonth(account, partial);
    expect(await months(account)).toEqual([
      [35, 0],
      [7, 0],
    ]);
    await path.cancel(account, canceled);
    expect(await months(account)).toEqual([
      [14, 0],
      [7, 0],
    ]);
    await path.finish(partial, { outputs: 1 });
    expect(await months(account)).toEqual([
      [0, 7],
      [7, 0],
    ]);
    await path.finish(current);
    expect(await months(account)).toEqual([
      [0, 7],
      [0, 7],
    ]);
  });

  test('does not free budget in the current month', async () => {
    const account = await path.makeAccount({ monthlyCap: 14 });
    const old = await path.begin(account, { outputs: 2 });
    await path.moveToLastMonth(account, old);
    await path.begin(account, { outputs: 2 });
    expect(await path.submit(account)).toMatchObject({ outcome: 'spend_cap_exceeded' });
    await path.cancel(account, old);
    expect(await path.submit(account)).toMatchObject({ outcome: 'spend_cap_exceeded' });
  });
});

describe('content policy', () => {
  const fail = async (account: PathAccount, error: 'content_policy' | 'internal') =>
    path.finish(await path.begin(account), { error });

  test('starts a cooldown at the fifth failure in ten minutes, not before', async () => {
    const account = await path.makeAccount();
    for (let n = 0; n < 3; n += 1) await fail(account, 'internal');
    for (let n = 0; n < 4; n += 1) await fail(account, 'content_policy');
    expect((await path.accountOf(account)).cooldown_until).toBeNull();
    await fail(account, 'content_policy');
    const { cooldown_until: until } = await path.accountOf(account);
    expect(Math.abs(until!.getTime() - Date.now() - 600_000)).toBeLessThan(10_000);
    expect(await path.submit(account)).toMatchObject({ outcome: 'cooldown' });
  });

  test('ignores failures older than ten minutes and those of other accounts', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    for (let n = 0; n < 4; n += 1) await fail(account, 'content_policy');
    for (let n = 0; n < 4; n += 1) await fail(other, 'content_policy');
    // A trigger refuses every change of an ended generation, so it is disabled for this transaction.
    await holdTransaction(owner, async (client) => {
      await client.query('SET LOCAL session_replication_role = replica');
      await client.query(`UPDATE generation SET completed_at = now() - interval '11 minutes' WHERE account_id = $1`, [
        account.accountId,
      ]);
      await client.query('COMMIT');
    });
    await fail(account, 'content_policy');
    expect((await path.accountOf(account)).cooldown_until).toBeNull();
    await fail(other, 'content_policy');
    expect((await path.accountOf(other)).cooldown_until).not.toBeNull();
  });
});
