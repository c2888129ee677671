import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { newId } from '../../../platform/ids.ts';
import { createMoneyPath, type PathAccount } from '../testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

async function beginMany(account: PathAccount, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await path.begin(account));
  return ids;
}

/** The generations that hold a slot, oldest first. */
async function admittedOf(account: PathAccount): Promise<string[]> {
  const rows = await path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND admitted AND status IN ('queued', 'processing') ORDER BY created_at, id`,
    [account.accountId],
  );
  return rows.map(({ id }) => id);
}

describe('admission', () => {
  test('admits up to the limit; the rest wait without a job', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const submitted = [await path.submit(account), await path.submit(account), await path.submit(account)];
    expect(submitted.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    expect(submitted.map(({ queuePosition }) => queuePosition)).toEqual([1, 2, 3]);
    expect(await path.jobsOf(account)).toEqual(submitted.slice(0, 2).map(({ generationId }) => generationId));
    expect(await path.accountOf(account)).toMatchObject({ slots: 2 });
  });

  test('counts running generations as well as queued ones with a job', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    await path.take(await path.begin(account));
    expect(await path.submit(account)).toMatchObject({ admitted: false, queuePosition: 1 });
  });

  test('refuses to take a generation that is not admitted', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const [, waiting] = await beginMany(account, 2);
    expect(await path.take(waiting!)).toBeUndefined();
    expect(await path.generationOf(waiting!)).toMatchObject({ status: 'queued', admitted: false, attempt: 0 });
  });

  test('is separate for each account', async () => {
    const [busy, idle] = [await path.makeAccount({ runLimit: 1 }), await path.makeAccount({ runLimit: 1 })];
    await beginMany(busy, 5);
    expect(await path.submit(idle)).toMatchObject({ admitted: true, queuePosition: 1 });
  });
});

describe('promotion', () => {
  test('admits the oldest waiting generation after each end, with a job and a slot', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const ids = await beginMany(account, 4);
    for (let n = 0; n < 4; n += 1) {
      expect(await admittedOf(account)).toEqual([ids[n]]);
      expect(await path.accountOf(account)).toMatchObject({ slots: 1 });
      expect(await path.jobsOf(account)).toEqual(ids.slice(0, n + 1));
      const { wake } = await path.finish(ids[n]!, n % 2 === 0 ? {} : { error: 'internal' });
      expect(wake).toEqual(n === 3 ? [] : ['run-simulator']);
    }
    expect(await path.accountOf(account)).toMatchObject({ slots: 0 });
  });

  test('follows the order of submits, independent of the clock and of ids', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const first = await path.begin(account);
    const waiting = Array.from({ length: 3 }, () => newId()).reverse();
    for (const id of waiting) await path.begin(account, { id });
    // The state after the clock was set back.
    for (const [n, id] of waiting.entries()) {
      await owner.pool.query(`UPDATE generation SET created_at = now() - $2 * interval '1 hour' WHERE id = $1`, [
        id,
        n,
      ]);
    }
    const order: string[] = [];
    let next = first;
    for (let n = 0; n < 3; n += 1) {
      await path.finish(next);
      [next] = (await admittedOf(account)) as [string];
      order.push(next);
    }
    expect(order).toEqual(waiting);
  });

  test('follows the cancel of a generation with a slot; a waiting one frees nothing', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const [first, second, third] = await beginMany(account, 3);
    expect(await path.cancel(account, second!)).toEqual({ outcome: 'canceled', wake: [] });
    expect(await admittedOf(account)).toEqual([first]);
    expect(await path.cancel(account, first!)).toEqual({ outcome: 'canceled', wake: ['run-simulator'] });
    expect(await admittedOf(account)).toEqual([third]);
    expect(await path.accountOf(account)).toMatchObject({ slots: 1 });
  });

  test('fills a raised limit at once', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const ids = await beginMany(account, 5);
    expect(await path.setRunLimit(account, 4)).toEqual(['run-simulator', 'run-simulator', 'run-simulator']);
    expect(await admittedOf(account)).toEqual(ids.slice(0, 4));
    expect(await path.jobsOf(account)).toEqual(ids.slice(0, 4));
    expect(await path.accountOf(account)).toMatchObject({ slots: 4 });
  });

  test('respects a lowered limit: running generations continue, and none is admitted until a slot is free', async () => {
    const account = await path.makeAccount({ runLimit: 3 });
    const ids = await beginMany(account, 5);
    expect(await path.setRunLimit(account, 1)).toEqual([]);
    expect(await admittedOf(account)).toEqual(ids.slice(0, 3));
    await path.finish(ids[0]!);
    await path.finish(ids[1]!);
    expect(await admittedOf(account)).toEqual([ids[2]]);
    expect(await path.submit(account)).toMatchObject({ admitted: false });
    await path.finish(ids[2]!);
    expect(await admittedOf(account)).toEqual([ids[3]]);
  });
});

describe('take', () => {
  test('starts the run and sets its deadline', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account, { deadlineSeconds: 30 });
    const run = await path.take(id, 'first');
    expect(run).toMatchObject({ id, accountId: account.accountId, attempt: 1, mode: 'test', outputsRequested: 1 });
    expect(run!.deadlineAt.getTime() - run!.startedAt.getTime()).toBe(30_000);
    expect(await path.generationOf(id)).toMatchObject({ status: 'processing', attempt: 1 });
  });

  test('from another worker raises the attempt and keeps start, deadline and slot', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    const first = await path.take(id, 'first');
    const second = await path.take(id, 'second');
    expect(second).toMatchObject({ attempt: 2, startedAt: first!.startedAt, deadlineAt: first!.deadlineAt });
    expect(await path.accountOf(account)).toMatchObject({ slots: 1 });
  });

  test('by many workers concurrently gives each of them one attempt', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    const runs = await Promise.all(Array.from({ length: 10 }, (_, n) => path.take(id, `worker ${n}`)));
    expect(runs.map((run) => run?.attempt).sort((a, b) => a! - b!)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test.each(['canceled', 'succeeded', 'failed'])('of a %s generation returns nothing', async (end) => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    if (end === 'canceled') await path.cancel(account, id);
    else await path.finish(id, end === 'failed' ? { error: 'internal' } : {});
    expect(await path.take(id)).toBeUndefined();
    expect(await path.generationOf(id)).toMatchObject({ status: end });
  });
});

describe('cancel', () => {
  test('releases the coins and the monthly reservation', async () => {
    const account = await path.makeAccount({ coins: 100, monthlyCap: 100 });
    const id = await path.begin(account, { outputs: 2 });
    expect(await path.cancel(account, id)).toMatchObject({ outcome: 'canceled' });
    expect(await path.generationOf(id)).toMatchObject({ status: 'canceled', coins_charged: 0 });
    expect(await path.transfersOf(id)).toEqual([
      { kind: 'hold', amount: 14 },
      { kind: 'release', amount: 14 },
    ]);
    expect(await path.accountOf(account)).toMatchObject({ available: 100, held: 0, slots: 0 });
    expect(await path.monthsOf(account)).toMatchObject([{ reserved: 0, spent: 0 }]);
  });

  test('is refused once the generation runs or has ended, and for other accounts', async () => {
    const [account, other] = [await path.makeAccount(), await path.makeAccount()];
    const id = await path.begin(account);
    expect(await path.cancel(other, id)).toEqual({ outcome: 'not_found', wake: null });
    await path.take(id);
    expect(await path.cancel(account, id)).toEqual({ outcome: 'not_cancelable', wake: null });
    await path.finish(id);
    expect(await path.cancel(account, id)).toEqual({ outcome: 'not_cancelable', wake: null });
    expect(await path.generationOf(id)).toMatchObject({ status: 'succeeded', coins_charged: 7 });
  });

  test('and take race for each of 40 generations, and exactly one of them wins', async () => {
    const account = await path.makeAccount({ runLimit: 40, coins: 280 });
    const ids = await beginMany(account, 40);
    const outcomes = await Promise.all(
      ids.map(async (id, n) => {
        const race =
          n % 2 === 0 ? [path.cancel(account, id), path.take(id)] : [path.take(id), path.cancel(account, id)];
        const [one, two] = await Promise.all(race);
        const canceled = [one, two].some(
          (result) => result !== undefined && 'outcome' in result && result.outcome === 'canceled',
        );
        const taken = [one, two].some((result) => result !== undefined && 'attempt' in result);
        expect(canceled).not.toBe(taken);
        expect(await path.generationOf(id)).toMatchObject({ status: canceled ? 'canceled' : 'processing' });
        return canceled;
      }),
    );
    const canceled = outcomes.filter(Boolean).length;
    expect(await path.accountOf(account)).toMatchObject({
      slots: 40 - canceled,
      held: 7 * (40 - canceled),
      available: 7 * canceled,
    });
  });

  test('five times for each of 20 cancels 20 and refuses 80', async () => {
    const account = await path.makeAccount();
    const ids = await beginMany(account, 20);
    const answers = await Promise.all(ids.flatMap((id) => Array.from({ length: 5 }, () => path.cancel(account, id))));
    const canceled = answers.filter(({ outcome }) => outcome === 'canceled');
    expect([canceled.length, answers.length]).toEqual([20, 100]);
    expect(await path.coinsOf(account)).toEqual({ available: 1_000_000, held: 0 });
  });
});
