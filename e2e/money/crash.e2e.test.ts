import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount } from '../harness/account.ts';
import { newIdempotencyKey, submit, until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

/** The limit of a machine that does nothing else: soak. */
const RESUME_WITHIN_MS = sized({ ci: 50_000, full: 20_000 });
const PRICE = 7;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: 0,
    env: { WORKER_CONCURRENCY: '32', ALLOW_FAULTS: 'true', SHUTDOWN_SECONDS: '1' },
  });
});
afterEach(() => stack.assertBooks());
afterAll(() => stack?.stop());

interface Row {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly worker: string;
  readonly charged: number | null;
  readonly captures: number;
}

async function read(ids: readonly string[]): Promise<Row[]> {
  const { rows } = await stack.db.pool.query<Row>(
    `SELECT g.id, g.status, g.attempt, g.worker, g.coins_charged AS charged,
       (SELECT count(*)::int FROM transfer t WHERE t.generation_id = g.id AND t.kind = 'capture') AS captures
     FROM generation g WHERE g.id = ANY ($1)`,
    [ids],
  );
  return rows;
}

/** Submits over several accounts, to avoid limits. */
async function submitOver(accounts: number, each: number, prompt: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < accounts; n += 1) {
    const account = await makeAccount(stack, { runLimit: each });
    const answers = await Promise.all(
      Array.from({ length: each }, () => submit(stack.api().url, { key: account.key, prompt })),
    );
    ids.push(...answers.map((answer) => answer.body.id));
  }
  return ids;
}

const allAre = (ids: readonly string[], is: (row: Row) => boolean) => async () => {
  const rows = await read(ids);
  return rows.length === ids.length && rows.every(is) && rows;
};

async function end(member: Member): Promise<void> {
  member.signal('SIGTERM');
  await member.gone();
}

test('20 generations of a killed worker continue elsewhere, each settled once', async () => {
  const first = await stack.start('worker');
  const ids = await submitOver(5, 4, 'sim:ok:6000');
  expect(ids).toHaveLength(20);
  const before = await until(
    'all run',
    allAre(ids, (row) => row.status === 'processing'),
  );
  const second = await stack.start('worker');
  const killedAtMs = Date.now();
  first.signal('SIGKILL');
  await first.gone();
  await until(
    'all were taken by another worker',
    allAre(ids, (row) => row.attempt === 2 && row.worker !== before[0]?.worker),
    60_000,
  );
  const resumedMs = Date.now() - killedAtMs;
  const rows = await until(
    'all have ended',
    allAre(ids, (row) => row.status !== 'processing'),
    60_000,
  );
  console.log(
    `20 generations of a killed worker resumed after ${(resumedMs / 1000).toFixed(1)} s, ended after ${((Date.now() - killedAtMs) / 1000).toFixed(1)} s`,
  );
  for (const row of rows) {
    expect(row).toMatchObject({ status: 'succeeded', attempt: 2, charged: PRICE, captures: 1 });
  }
  expect(resumedMs).toBeLessThanOrEqual(RESUME_WITHIN_MS);
  await end(second);
});

test('a worker paused past its lease settles late and is rejected: nothing is charged twice', async () => {
  // It is paused right before its settlements, so that it tries them first when it resumes.
  const zombie = await stack.start('worker', { FAULT: 'settle.before-commit:sleep9000:0' });
  const ids = await submitOver(2, 4, 'sim:ok:100');
  const before = await until(
    'all run',
    allAre(ids, (row) => row.status === 'processing'),
  );
  await sleep(5_000);
  zombie.signal('SIGSTOP');
  const stoppedAtMs = Date.now();
  const other = await stack.start('worker');
  const settled = await until(
    'another worker has settled all',
    allAre(ids, (row) => row.status === 'succeeded'),
    60_000,
  );
  console.log(
    `a stopped worker's generations were settled by another after ${((Date.now() - stoppedAtMs) / 1000).toFixed(1)} s`,
  );
  for (const row of settled) {
    expect(row).toMatchObject({ attempt: 2, charged: PRICE, captures: 1 });
    expect(row.worker).not.toBe(before[0]?.worker);
  }
  zombie.signal('SIGCONT');
  const fenced = await until(
    'the late settlements were rejected',
    async () => {
      const refused = await readMetric(zombie, 'atelier_settlements_fenced_total');
      return refused === ids.length && refused;
    },
    20_000,
  );
  console.log(`${fenced} late settlements were rejected`);
  expect(await readMetric(zombie, 'atelier_generations_settled_total')).toBe(0);
  expect(await read(ids)).toEqual(settled);

  // After it resumes, it works normally.
  await end(other);
  const more = await submitOver(1, 4, 'sim:fail:internal');
  await until(
    'it still works',
    allAre(more, (row) => row.status === 'failed'),
    30_000,
  );
  await end(zombie);
});

test('a worker suspended between fetching a job and claiming its generation does not block it', async () => {
  const zombie = await stack.start('worker', { FAULT: 'take.before-commit:sleep3000:1' });
  const [id] = await submitOver(1, 1, 'sim:ok:6000');
  await sleep(1_000);
  zombie.signal('SIGSTOP');
  const other = await stack.start('worker');
  await until(
    'another worker runs it',
    allAre([id as string], (row) => row.attempt === 1 && row.status === 'processing'),
    30_000,
  );
  // Its late take wins the row while the other worker has the job: it must give up, and the other must resume.
  zombie.signal('SIGCONT');
  await until(
    'the late take has happened',
    allAre([id as string], (row) => row.attempt >= 2),
    20_000,
  );
  const [row] = await until(
    'it has ended',
    allAre([id as string], (row) => row.status === 'succeeded'),
    40_000,
  );
  console.log(`a late take cost ${row?.attempt} attempts`);
  expect(row).toMatchObject({ charged: PRICE, captures: 1 });
  await Promise.all([end(zombie), end(other)]);
});

test('an API killed between commit and response: the retry on another returns 200 with the same id', async () => {
  const account = await makeAccount(stack);
  const doomed = await stack.start('api', { FAULT: 'submit.after-commit-before-answer:kill' });
  const idempotencyKey = newIdempotencyKey();
  const options = { key: account.key, idempotencyKey, prompt: 'sim:hold' };
  await expect(submit(doomed.url, options)).rejects.toThrow();
  expect((await doomed.gone()).signal).toBe('SIGKILL');
  const { rows } = await stack.db.pool.query<{ id: string }>('SELECT id FROM generation WHERE account_id = $1', [
    account.accountId,
  ]);
  expect(rows).toHaveLength(1);
  const retried = await submit(stack.api().url, options);
  expect(retried.status).toBe(200);
  expect(retried.body.id).toBe(rows[0]?.id);
  const holds = await stack.db.pool.query(`SELECT 1 FROM transfer WHERE account_id = $1 AND kind = 'hold'`, [
    account.accountId,
  ]);
  expect(holds.rowCount).toBe(1);
});
