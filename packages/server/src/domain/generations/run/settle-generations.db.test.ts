import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath, type PathAccount, settlementOf } from '../testing/create-money-path.ts';
import { type AccountPlan, createSettleWorld, type RunPlan } from '../testing/create-settle-world.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

/** Settles one world end by end and an equal one in a batch, and expects the same rows, outcomes and wakes. */
async function compare(plan: readonly AccountPlan[]): Promise<object> {
  const [single, batch] = [await createSettleWorld(path, plan), await createSettleWorld(path, plan)];
  expect(await batch.describe()).toEqual(await single.describe());
  const outcomes: string[] = [];
  const wakes = new Set<string>();
  for (const { id, attempt, ...end } of single.ends) {
    const outputs = end.assets.length;
    const { outcome, wake } = await path.settle(
      { id, attempt },
      end.error === null ? { outputs } : { error: end.error },
    );
    outcomes.push(outcome);
    for (const name of wake ?? []) wakes.add(name);
  }
  const { settled, wake } = await path.settleMany(batch.ends);
  expect(batch.ends.map(({ id }) => (settled.includes(id) ? 'settled' : 'fenced'))).toEqual(outcomes);
  expect([...wake].sort()).toEqual([...wakes].sort());
  const after = await batch.describe();
  expect(after).toEqual(await single.describe());
  return after;
}

describe('a batch writes the same rows as single settlements', () => {
  test('of full, partial and empty deliveries and of failures, over several accounts', async () => {
    await compare([
      {
        runs: [
          { requested: 3, outputs: 3 },
          { requested: 3, outputs: 2 },
          { requested: 2, outputs: 1 },
        ],
        waiting: 0,
      },
      { runs: [{ requested: 1 }, { requested: 2, outputs: 0 }, { requested: 4, error: 'timeout' }], waiting: 0 },
      {
        runs: [
          { requested: 1, keyless: true },
          { requested: 2, error: 'internal', keyless: true },
        ],
        waiting: 0,
      },
    ]);
  });

  test('when several slots of several accounts are freed at once', async () => {
    const run: RunPlan = { requested: 1 };
    await compare([
      { runs: [run, run, run], waiting: 5 },
      { runs: [run, run, run], waiting: 2 },
      { runs: [run, { ...run, outdated: true }], waiting: 3 },
      { runs: [run, run, run], waiting: 4, limit: 1 },
      { runs: [run, run, run, run], waiting: 6, limit: 2 },
    ]);
  });

  test('with endpoints that are active, paused, deleted, of one key and of failures only', async () => {
    const runs: RunPlan[] = [{ requested: 1 }, { requested: 1, error: 'internal' }, { requested: 1, keyless: true }];
    await compare([
      {
        runs,
        waiting: 0,
        endpoints: [
          { status: 'active' },
          { status: 'paused' },
          { status: 'deleted' },
          { status: 'active', ofKey: true },
          { status: 'active', failuresOnly: true },
          { status: 'paused', failuresOnly: true },
        ],
      },
      { runs, waiting: 1, endpoints: [{ status: 'paused' }] },
      { runs, waiting: 0 },
    ]);
  });

  test('with holds of two months and several keys', async () => {
    const runs: RunPlan[] = [
      { requested: 3, outputs: 2, lastMonth: true },
      { requested: 1, lastMonth: true },
      { requested: 2, outputs: 1 },
      { requested: 1, error: 'internal' },
    ];
    const [first] = (await compare([
      { runs, waiting: 1 },
      { runs: runs.slice(0, 3), waiting: 0 },
    ])) as { months: number[][] }[];
    expect(first?.months).toEqual([
      [0, 21],
      [7, 7],
    ]);
  });

  test.each([4, 5])('with %i failures of content policy, of which the last two are in the batch', async (count) => {
    const refused: RunPlan = { requested: 1, error: 'content_policy' };
    const plan = [
      { runs: [refused, refused, { requested: 1, error: 'internal' as const }], waiting: 0 },
      { runs: [refused, { requested: 1 }], waiting: 0 },
    ];
    const { accounts, ends } = await createSettleWorld(path, plan);
    const [account, other] = accounts;
    for (const each of accounts) await path.setRunLimit(each, 10);
    const fail = async (each: PathAccount, error: 'content_policy' | 'internal') =>
      path.finish(await path.begin(each), { error });
    for (let n = 0; n < 2; n += 1) await fail(account!, 'content_policy');
    // A trigger refuses every change of an ended generation, so it is disabled for this transaction.
    await holdTransaction(owner, async (client) => {
      await client.query('SET LOCAL session_replication_role = replica');
      await client.query(
        `UPDATE generation SET completed_at = now() - interval '11 minutes' WHERE account_id = $1 AND completed_at IS NOT NULL`,
        [account!.accountId],
      );
      await client.query('COMMIT');
    });
    for (let n = 0; n < 6; n += 1) await fail(other!, 'internal');
    for (let n = 0; n < count - 2; n += 1) await fail(account!, 'content_policy');
    expect((await path.accountOf(account!)).cooldown_until).toBeNull();
    await path.settleMany(ends);
    const { cooldown_until: until } = await path.accountOf(account!);
    if (count < 5) expect(until).toBeNull();
    else expect(Math.abs(until!.getTime() - Date.now() - 600_000)).toBeLessThan(10_000);
    expect((await path.accountOf(other!)).cooldown_until).toBeNull();
  });

  const anyRun = fc.record({
    requested: fc.constantFrom(2, 3),
    outputs: fc.constantFrom(0, 1, 2),
    error: fc.constantFrom(undefined, undefined, 'internal' as const, 'content_policy' as const),
    lastMonth: fc.boolean(),
    outdated: fc.constantFrom(false, false, true),
    keyless: fc.constantFrom(false, false, true),
  });
  const anyAccount = fc.record({
    runs: fc.array(anyRun, { maxLength: 6 }),
    waiting: fc.nat(3),
    limit: fc.constantFrom(1, 2, 4),
    endpoints: fc.array(
      fc.record({ status: fc.constantFrom('active', 'paused'), ofKey: fc.boolean(), failuresOnly: fc.boolean() }),
      { maxLength: 2 },
    ),
  });

  test('of any ends', async () => {
    const plans = fc.array(anyAccount, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        // `error: undefined` is not the same as no error for `exactOptionalPropertyTypes`.
        const given = plan.map((account) => ({
          ...account,
          runs: account.runs.map(({ error, ...run }) => ({ ...run, ...(error === undefined ? {} : { error }) })),
        }));
        await compare(given);
      }),
      { numRuns: 10 },
    );
  });
});

describe('the fence', () => {
  test('refuses outdated, queued, canceled, ended and unknown generations, and settles the others', async () => {
    const account = await path.makeAccount({ runLimit: 6 });
    const [good, outdated, ended, queued, canceled] = await Promise.all(
      Array.from({ length: 5 }, () => path.begin(account)),
    );
    const [run, first, done] = await Promise.all([good, outdated, ended].map((id) => path.take(id!)));
    await path.take(outdated!, 'another worker');
    await path.settle(done!, { error: 'internal' });
    await path.cancel(account, canceled!);
    const { settled, wake } = await path.settleMany([
      settlementOf(first!),
      settlementOf({ id: queued!, attempt: 0 }),
      settlementOf({ id: canceled!, attempt: 0 }),
      settlementOf(done!),
      settlementOf({ id: account.accountId, attempt: 1 }),
      settlementOf(run!),
    ]);
    expect({ settled, wake }).toEqual({ settled: [good], wake: [] });
    expect(await path.generationOf(outdated!)).toMatchObject({ status: 'processing', attempt: 2 });
    expect(await path.generationOf(ended!)).toMatchObject({ status: 'failed' });
    expect(await path.generationOf(queued!)).toMatchObject({ status: 'queued' });
    expect(await path.generationOf(canceled!)).toMatchObject({ status: 'canceled' });
    expect(await path.accountOf(account)).toMatchObject({ slots: 2, held: 14 });
    expect(await path.read('SELECT 1 FROM asset WHERE account_id = $1', [account.accountId])).toHaveLength(1);
  });

  test('a batch of which nothing is current changes nothing', async () => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    const unknown = account.accountId;
    expect(
      await path.settleMany([settlementOf({ id, attempt: 0 }), settlementOf({ id: unknown, attempt: 1 })]),
    ).toEqual({ settled: [], wake: [] });
    expect(await path.accountOf(account)).toMatchObject({ slots: 1, held: 7 });
  });
});

describe('a batch is refused as a whole', () => {
  async function takeTwo() {
    const account = await path.makeAccount({ runLimit: 2 });
    const ids = [await path.begin(account), await path.begin(account)];
    const runs = await Promise.all(ids.map((id) => path.take(id)));
    const expectUnchanged = async () => {
      expect(await path.accountOf(account)).toMatchObject({ slots: 2, held: 14 });
      for (const id of ids) expect(await path.generationOf(id)).toMatchObject({ status: 'processing' });
    };
    return { runs, expectUnchanged };
  }

  test('if one has more outputs than were paid for', async () => {
    const { runs, expectUnchanged } = await takeTwo();
    const settlements = [settlementOf(runs[0]!), settlementOf(runs[1]!, { outputs: 2 })];
    await expect(path.settleMany(settlements)).rejects.toMatchObject({ code: '23514' });
    await expectUnchanged();
  });

  test('if the hold of one is closed', async () => {
    const { runs, expectUnchanged } = await takeTwo();
    const { id } = runs[1]!;
    const setHold = (captured: number, closedAt: Date | null) =>
      owner.pool.query('UPDATE hold SET captured = $2, closed_at = $3 WHERE generation_id = $1', [
        id,
        captured,
        closedAt,
      ]);
    await setHold(7, new Date());
    await expect(path.settleMany(runs.map((run) => settlementOf(run!)))).rejects.toThrow(
      `the hold of ${id} is not open`,
    );
    await setHold(0, null);
    await expectUnchanged();
  });
});
