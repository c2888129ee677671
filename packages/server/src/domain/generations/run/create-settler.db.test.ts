import { describe, expect, test, vi } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../../test/database.ts';
import type { Db, Statement } from '../../../platform/db.ts';
import { createMoneyPath, settlementOf } from '../testing/create-money-path.ts';
import { createSettler } from './create-settler.ts';
import type { RunRow } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

interface Sent {
  readonly name: string;
  readonly members: number;
}

/** The same database, with a record of the statements sent. `fail` can make one fail before it is sent. */
function watch(fail: (sent: Sent) => Error | null = () => null) {
  const sent: Sent[] = [];
  const query = (statement: Statement & { values: unknown[] }) => {
    const [ids] = statement.values;
    const each = { name: statement.name, members: Array.isArray(ids) ? ids.length : 1 };
    sent.push(each);
    const error = fail(each);
    return error === null ? db.pool.query(statement) : Promise.reject(error);
  };
  const watched = { ...db, pool: { query } as unknown as Db['pool'] };
  return { settler: createSettler({ db: watched }), sent };
}

async function takeRuns(count: number): Promise<RunRow[]> {
  const account = await path.makeAccount({ runLimit: count });
  const runs: RunRow[] = [];
  for (let n = 0; n < count; n += 1) runs.push((await path.take(await path.begin(account)))!);
  return runs;
}

test('lone ends use the single function', async () => {
  const { settler, sent } = watch();
  for (const run of await takeRuns(3)) expect(await settler(settlementOf(run))).toMatchObject({ outcome: 'settled' });
  expect(sent).toEqual(Array(3).fill({ name: 'settle_generation', members: 1 }));
});

test('ends that arrive while a statement is under way go together, at most 50, and the batch is announced once', async () => {
  const runs = await takeRuns(60);
  const { accountId } = runs[0]!;
  await path.addEndpoint({ accountId, keyId: '' });
  const { settler, sent } = watch();
  const outcomes = await Promise.all(runs.map((run) => settler(settlementOf(run))));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(60).fill('settled'));
  expect(sent).toEqual([
    { name: 'settle_generation', members: 1 },
    { name: 'settle_generations', members: 50 },
    { name: 'settle_generations', members: 9 },
  ]);
  expect(outcomes.filter(({ wake }) => (wake ?? []).length > 0)).toHaveLength(3);
});

test('an outdated end in a batch is fenced, and the others are settled', async () => {
  const runs = await takeRuns(5);
  await path.take(runs[2]!.id, 'another worker');
  const { settler } = watch();
  const outcomes = await Promise.all(runs.map((run) => settler(settlementOf(run))));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'fenced', 'settled', 'settled']);
});

test('the same generation twice is settled once, in separate statements', async () => {
  const [first, run, other] = await takeRuns(3);
  const { settler, sent } = watch();
  const outcomes = await Promise.all([
    settler(settlementOf(first!)),
    settler(settlementOf(run!)),
    settler(settlementOf(run!, { error: 'internal' })),
    settler(settlementOf(other!)),
  ]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['settled', 'settled', 'fenced', 'settled']);
  expect(sent.map(({ members }) => members)).toEqual([1, 1, 2]);
  expect(await path.generationOf(run!.id)).toMatchObject({ status: 'succeeded' });
});

test('a member that cannot be settled fails alone', async () => {
  const runs = await takeRuns(6);
  const { settler, sent } = watch();
  const answers = await Promise.allSettled(
    runs.map((run, n) => settler(settlementOf(run, n === 3 ? { outputs: 2 } : {}))),
  );
  expect(answers.map((each) => (each.status === 'fulfilled' ? each.value.outcome : each.reason.code))).toEqual([
    'settled',
    'settled',
    'settled',
    '23514',
    'settled',
    'settled',
  ]);
  expect(sent.map(({ name }) => name)).toEqual([
    'settle_generation',
    'settle_generations',
    ...Array(5).fill('settle_generation'),
  ]);
});

describe('the database', () => {
  test.each([
    ['cannot be reached', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    ['breaks the connection', new Error('Connection terminated unexpectedly')],
    ['restarts', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ])('%s: every member is rejected and none is tried again', async (_name, error) => {
    const runs = await takeRuns(5);
    const { settler, sent } = watch(({ name }) => (name === 'settle_generations' ? error : null));
    const answers = await Promise.allSettled(runs.map((run) => settler(settlementOf(run))));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', ...Array(4).fill('rejected')]);
    expect(answers.slice(1).map((each) => each.status === 'rejected' && each.reason)).toEqual(Array(4).fill(error));
    expect(sent).toHaveLength(2);
  });

  test('keeps one account locked: only the ends of this account wait', async () => {
    const [free, blocked] = [await takeRuns(4), await takeRuns(2)];
    const { settler } = watch();
    const settled: string[] = [];
    const settle = (run: RunRow) => settler(settlementOf(run)).then(() => settled.push(run.id));
    const [first, ...others] = free.map(({ id }) => id);
    let all: Promise<unknown> | undefined;
    await holdTransaction(owner, async (client) => {
      await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [blocked[0]?.accountId]);
      all = Promise.all([blocked[0]!, free[0]!, blocked[1]!, ...free.slice(1)].map(settle));
      await vi.waitFor(() => expect([...settled].sort()).toEqual([first!, ...others].sort()), 10_000);
    });
    await all;
    expect(settled).toHaveLength(6);
  });
});
