import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withStatementTx } from '../../../platform/db.ts';
import { getConcurrency } from '../../accounts/get-concurrency.ts';
import { getGeneration } from '../read/get-generation.ts';
import { createMoneyPath, type PathAccount, type PathSubmission, settlementOf } from '../testing/create-money-path.ts';
import { createServedServices } from '../testing/create-served-services.ts';
import { findStuck, findUntaken, takeRows } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const services = createServedServices(db, new Set(['local/easel', 'comfyui/studio']));

const slow: PathSubmission = { modelId: 'painter', pool: 'run-remote' };
const quick: PathSubmission = { modelId: 'canvas', pool: 'run-local' };
const simulated: PathSubmission = { modelId: 'portrait' };

/** One per millisecond, because ids of one millisecond have no order. */
async function beginMany(account: PathAccount, given: PathSubmission, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    await sleep(1);
    ids.push(await path.begin(account, given));
  }
  return ids;
}
/** Takes as a worker that serves every model does; returns the ids that it got, oldest first. */
async function take(ids: readonly string[]): Promise<string[]> {
  const models = ['painter', 'canvas'];
  const rows = await withStatementTx(db, (tx) => takeRows(tx, { ids, worker: 'worker', models }));
  return ids.filter((id) => rows.some((row) => row.id === id));
}
const settle = async (id: string) => {
  const { attempt } = await path.generationOf(id);
  return path.settle({ id, attempt });
};
const readOf = (account: PathAccount, id: string) => getGeneration(services, { accountId: account.accountId, id });
const concurrencyOf = (account: PathAccount) => getConcurrency(services, account.accountId);
/** The queued generations with a job that no worker has fetched, in the order in which workers get them. */
const jobsOf = async (account: PathAccount): Promise<string[]> => {
  const rows = await path.read<{ id: string }>(
    `SELECT g.id FROM pgboss.job j JOIN generation g ON g.id::text = j.data ->> 'generationId' AND j.name = g.pool
     WHERE g.account_id = $1 AND g.status = 'queued' AND j.state = 'created' ORDER BY j.created_on, j.id`,
    [account.accountId],
  );
  return rows.map(({ id }) => id);
};
/** Completes the jobs, as a worker does that fetched them. */
const completeJobs = (ids: readonly string[]) =>
  path.read(`UPDATE pgboss.job SET state = 'completed' WHERE data ->> 'generationId' = ANY ($1)`, [ids]);

describe('a running limit of 4', () => {
  test('is not used up by four generations that nobody takes: a fifth of another model starts', async () => {
    const account = await path.makeAccount({ runLimit: 4 });
    const stranded = await beginMany(account, slow, 6);
    const [fifth] = await beginMany(account, quick, 1);
    expect(await jobsOf(account)).toEqual([...stranded.slice(0, 4), fifth]);
    expect(await concurrencyOf(account)).toMatchObject({ limit: 4, running: 0, queued: 7 });
    expect(await take([fifth!])).toEqual([fifth]);
    await settle(fifth!);
    const later = await beginMany(account, quick, 5);
    expect(await take(later.slice(0, 4))).toEqual(later.slice(0, 4));
    expect(await readOf(account, later[4]!)).toMatchObject({ status: 'queued', queueReason: 'account_limit' });
    await settle(later[0]!);
    expect(await take([later[4]!]), 'a freed slot goes to the model that ran').toEqual([later[4]]);
  });

  test('holds at the take: what a worker asks for beyond it waits without a job until a slot is free', async () => {
    const account = await path.makeAccount({ runLimit: 4 });
    const first = await beginMany(account, slow, 4);
    const second = await beginMany(account, quick, 3);
    expect(await take([...second, ...first])).toEqual([...first]);
    await completeJobs([...first, ...second]);
    expect(await concurrencyOf(account)).toMatchObject({ running: 4, queued: 3 });
    for (const id of second) {
      expect(await path.generationOf(id)).toMatchObject({ status: 'queued', attempt: 0 });
      expect(await readOf(account, id)).toMatchObject({ queueReason: 'account_limit' });
    }
    expect(await jobsOf(account)).toEqual([]);
    expect(await findUntaken(db, second), 'their jobs are not requeued').toEqual([]);
    await path.read(`UPDATE generation SET created_at = created_at - interval '1 hour' WHERE account_id = $1`, [
      account.accountId,
    ]);
    const stuck = (await findStuck(db, 500)).map(({ id }) => id);
    expect(
      stuck.filter((id) => second.includes(id)),
      'nor are they stuck',
    ).toEqual([]);

    expect(await settle(first[1]!)).toMatchObject({ wake: ['run-local'] });
    expect(await jobsOf(account)).toEqual([second[0]]);
    expect(await readOf(account, second[1]!)).toMatchObject({ queueReason: 'capacity', queuePosition: 2 });
    expect(await take([second[0]!])).toEqual([second[0]]);
    expect(await readOf(account, second[1]!)).toMatchObject({ queueReason: 'account_limit', queuePosition: 1 });
    await settle(first[0]!);
    await settle(first[2]!);
    expect(await jobsOf(account)).toEqual(second.slice(1));
    expect(await take(second)).toEqual(second);
  });

  test('gives the slot that one end frees to whichever model has a worker: each has a job', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const running = await beginMany(account, slow, 2);
    expect(await take(running)).toEqual(running);
    await completeJobs(running);
    const waiting = [...(await beginMany(account, slow, 1)), ...(await beginMany(account, quick, 1))];
    expect(await jobsOf(account)).toEqual([]);
    const ended = await settle(running[0]!);
    expect([...(ended?.wake ?? [])].sort()).toEqual(['run-local', 'run-remote']);
    expect(await jobsOf(account)).toEqual(waiting);
  });

  test.each([
    ['before', slow, quick],
    ['after', quick, slow],
  ])(
    'in a batch of settlements gives the freed slots to all models in order, also to one that sorts %s',
    async (_, one, other) => {
      const account = await path.makeAccount({ runLimit: 4 });
      const first = await beginMany(account, one, 6);
      expect(await take(first.slice(0, 4))).toHaveLength(4);
      const second = await beginMany(account, other, 3);
      await completeJobs(first);
      expect(await jobsOf(account), 'nothing has a job at the limit').toEqual([]);
      const ended = await path.settleMany(first.slice(0, 2).map((id) => settlementOf({ id, attempt: 1 })));
      expect([...ended.wake].sort()).toEqual(['run-local', 'run-remote']);
      expect(await jobsOf(account), 'two slots are free: two of each model could start').toEqual([
        first[4],
        first[5],
        second[0],
        second[1],
      ]);
      expect(await take([second[0]!, second[1]!])).toHaveLength(2);
      expect(await take([first[4]!, first[5]!])).toEqual([]);
      expect(await readOf(account, first[4]!)).toMatchObject({ queueReason: 'account_limit', queuePosition: 1 });
    },
  );

  test('in a batch of settlements lets what was refused start, also when nothing else waits', async () => {
    const account = await path.makeAccount({ runLimit: 4 });
    const [first, second] = [await beginMany(account, slow, 4), await beginMany(account, quick, 2)];
    expect(await take([...first, ...second])).toEqual(first);
    await completeJobs([...first, ...second]);
    await path.settleMany(first.slice(0, 3).map((id) => settlementOf({ id, attempt: 1 })));
    expect(await jobsOf(account)).toEqual(second);
  });

  test('a model that is served again continues in its order', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const stranded = await beginMany(account, slow, 5);
    for (const id of await beginMany(account, quick, 2)) {
      expect(await take([id])).toEqual([id]);
      await settle(id);
    }
    for (const id of stranded) {
      expect((await jobsOf(account))[0]).toBe(id);
      expect(await take([id])).toEqual([id]);
      await settle(id);
    }
  });

  test('a canceled generation leaves its place to the next of its model', async () => {
    const account = await path.makeAccount({ runLimit: 2 });
    const [first, second] = [await beginMany(account, slow, 4), await beginMany(account, quick, 4)];
    await path.cancel(account, second[0]!);
    expect(await jobsOf(account)).toEqual([first[0], first[1], second[1], second[2]]);
    const positions = await Promise.all([first[2], first[3], second[3]].map((id) => readOf(account, id!)));
    expect(positions.map(({ queuePosition }) => queuePosition)).toEqual([5, 6, 7]);
  });

  test('raised, lets what was refused at the limit start', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const [one] = await beginMany(account, slow, 1);
    const [two] = await beginMany(account, quick, 1);
    expect(await take([one!, two!])).toEqual([one]);
    await completeJobs([one!, two!]);
    expect(await path.setRunLimit(account, 5)).toEqual(['run-local']);
    expect(await jobsOf(account)).toEqual([two]);
    expect(await take([two!])).toEqual([two]);
  });

  test('a job that returns for a refused generation does not pass the limit', async () => {
    const account = await path.makeAccount({ runLimit: 1 });
    const [one] = await beginMany(account, slow, 1);
    const [two] = await beginMany(account, quick, 1);
    expect(await take([one!, two!])).toEqual([one]);
    expect(await take([two!])).toEqual([]);
    await settle(one!);
    expect(await take([two!])).toEqual([two]);
  });
});

test('workers of three models race for a limit of 3: never more run, nothing is left behind', async () => {
  const account = await path.makeAccount({ runLimit: 3 });
  for (let n = 0; n < 10; n += 1) {
    for (const given of [slow, quick, simulated]) await path.begin(account, given);
  }
  let most = 0;
  let left = 30;
  const work = async (model: string) => {
    const deadlineMs = Date.now() + 20_000;
    while (left > 0 && Date.now() < deadlineMs) {
      const jobs = await path.read<{ id: string }>(
        `DELETE FROM pgboss.job j USING generation g WHERE j.name = g.pool AND j.data ->> 'generationId' = g.id::text
           AND g.account_id = $1 AND g.model_id = $2 AND j.state = 'created' RETURNING g.id`,
        [account.accountId, model],
      );
      const ids = jobs.map(({ id }) => id);
      const rows = await withStatementTx(db, (tx) => takeRows(tx, { ids, worker: model, models: [model] }));
      const [running] = await path.read<{ n: number }>(
        `SELECT count(*)::int AS n FROM generation WHERE account_id = $1 AND status = 'processing'`,
        [account.accountId],
      );
      most = Math.max(most, running!.n);
      await sleep(Math.random() * 5);
      if (rows.length > 1) await path.settleMany(rows.map((row) => settlementOf(row)));
      else for (const row of rows) await path.settle(row);
      left -= rows.length;
    }
  };
  await Promise.all(['painter', 'canvas', 'portrait'].map((model) => work(model)));
  expect(left).toBe(0);
  expect(most).toBeLessThanOrEqual(3);
  expect(most).toBeGreaterThan(1);
  expect(await path.accountOf(account)).toMatchObject({ slots: 0, held: 0 });
});
