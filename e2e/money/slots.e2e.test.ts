import { setTimeout as sleep } from 'node:timers/promises';
import { setAccountLimits } from '@atelier/server/domain/generations/set-account-limits.ts';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { submitUntilDecided } from '../harness/submit-until-decided.ts';
import { findMostAtOnce, watchRunning } from '../harness/watch-running.ts';

const WORKERS = sized({ ci: 3, full: 5 });
const WORKER_CONCURRENCY = 10;
const LIMIT = 4;
const PRICE = 7;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    apis: 2,
    workers: WORKERS,
    env: { WORKER_CONCURRENCY: String(WORKER_CONCURRENCY), SHUTDOWN_SECONDS: '1' },
  });
});
afterEach(async () => {
  signalWorkers('SIGCONT');
  await stack.assertBooks();
});
afterAll(() => stack?.stop());

const workers = () => stack.members.filter((member) => member.role === 'worker');
/** Pauses every worker, so that all resume at the same moment later. */
const signalWorkers = (signal: NodeJS.Signals) => {
  for (const worker of workers()) worker.signal(signal);
};

async function countByStatus(account: TestAccount): Promise<Record<string, number>> {
  const { rows } = await stack.db.pool.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM generation WHERE account_id = $1 GROUP BY 1',
    [account.accountId],
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.n]));
}

const ended = (accountIds: readonly string[]) => async () => {
  const { rowCount } = await stack.db.pool.query(
    `SELECT 1 FROM generation WHERE account_id = ANY ($1) AND status IN ('queued', 'processing') LIMIT 1`,
    [accountIds],
  );
  return rowCount === 0;
};

async function submitAll(account: TestAccount, prompts: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(
    prompts.map((prompt, n) => submitUntilDecided(stack.api(n % 2).url, { key: account.key, prompt })),
  );
  for (const answer of answers) expect([200, 201]).toContain(answer.status);
  return answers.map((answer) => answer.body.id);
}

test('capacity for many and a limit of 4: an account never has more than 4 processing', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => makeAccount(stack, { runLimit: LIMIT })));
  const ids = accounts.map((account) => account.accountId);
  // Short runs change slots often; long ones keep the slots full.
  const prompts = Array.from({ length: 60 }, (_, n) => (n % 12 === 0 ? 'sim:ok:250' : 'sim:fail:internal'));
  signalWorkers('SIGSTOP');
  for (const account of accounts) await submitAll(account, prompts);
  const watch = watchRunning(stack.db, ids);
  signalWorkers('SIGCONT');
  await until('all have ended', ended(ids), 60_000);
  await watch.stop();
  const atOnce = await findMostAtOnce(stack.db, ids);
  console.log(`most processing: ${watch.most} seen in ${watch.samples} looks, ${atOnce} by recorded times`);
  expect(watch.most).toBeLessThanOrEqual(LIMIT);
  expect(atOnce).toBe(LIMIT);
  for (const account of accounts) expect(await countByStatus(account)).toEqual({ failed: 55, succeeded: 5 });
  const { rows } = await stack.db.pool.query<{ worker: string }>(
    'SELECT DISTINCT worker FROM generation WHERE account_id = ANY ($1)',
    [ids],
  );
  expect(rows.length, 'workers that took part').toBeGreaterThan(1);
});

test('300 cancels race the workers: each generation is canceled and free, or runs, never both', async () => {
  const accounts = await Promise.all(Array.from({ length: 10 }, () => makeAccount(stack, { runLimit: 8 })));
  const ids = accounts.map((account) => account.accountId);
  const random = createSeededRandom(1);
  const prompts = Array.from({ length: 30 }, (_, n) => (n % 15 === 0 ? 'sim:ok' : 'sim:fail:internal'));
  signalWorkers('SIGSTOP');
  const queued = (
    await Promise.all(
      accounts.map(async (account) => (await submitAll(account, prompts)).map((id) => ({ id, key: account.key }))),
    )
  ).flat();
  expect(queued).toHaveLength(300);
  signalWorkers('SIGCONT');
  const answers = await Promise.all(
    queued.map(async ({ id, key }, n) => {
      await sleep(random.between(0, 1_000));
      let isRepeated = false;
      const answer = await until('a cancel is decided', async () => {
        const sent = await call(stack.api(n % 2).url, `POST /v1/generations/${id}/cancel`, { key });
        isRepeated ||= sent.status === 503;
        return sent.status !== 503 && sent;
      });
      return { id, answer, isRepeated };
    }),
  );
  await until('all have ended', ended(ids), 60_000);

  const { rows } = await stack.db.pool.query<{
    id: string;
    status: string;
    startedAt: Date | null;
    attempt: number;
    charged: number;
    released: number;
    captures: number;
  }>(
    `SELECT g.id, g.status, g.started_at AS "startedAt", g.attempt, g.coins_charged AS charged, h.released,
       (SELECT count(*)::int FROM transfer t WHERE t.generation_id = g.id AND t.kind = 'capture') AS captures
     FROM generation g JOIN hold h ON h.generation_id = g.id WHERE g.account_id = ANY ($1)`,
    [ids],
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  let canceled = 0;
  for (const { id, answer, isRepeated } of answers) {
    const row = stored.get(id);
    // A cancel whose response was a 503 may have been stored; then the next one finds the generation canceled.
    if (answer.status === 200 || (isRepeated && row?.status === 'canceled')) {
      canceled += 1;
      if (answer.status === 200) expect(answer.body.status).toBe('canceled');
      expect(row).toMatchObject({
        status: 'canceled',
        startedAt: null,
        attempt: 0,
        charged: 0,
        released: PRICE,
        captures: 0,
      });
    } else {
      expect(answer.status).toBe(409);
      expect(answer.body.code).toBe('not_cancelable');
      expect(['succeeded', 'failed']).toContain(row?.status);
      expect(row?.startedAt).not.toBeNull();
      expect(row?.attempt).toBe(1);
      if (row?.status === 'succeeded') expect(row).toMatchObject({ charged: PRICE, released: 0, captures: 1 });
      else expect(row).toMatchObject({ charged: 0, released: PRICE, captures: 0 });
    }
  }
  console.log(`of 300 cancels, ${canceled} came first and ${300 - canceled} found it running or ended`);
  // A race that one side always wins proves nothing.
  expect(canceled).toBeGreaterThan(10);
  expect(canceled).toBeLessThan(290);
});

test('a lowered limit applies from the next promotion, a raised one immediately', async () => {
  const account = await makeAccount(stack, { runLimit: 4 });
  const services = { db: stack.db, wake: () => {} };
  const set = (runLimit: number) =>
    setAccountLimits(services, { accountId: account.accountId, runLimit, actor: 'test' });
  const processing = async () => (await countByStatus(account)).processing ?? 0;
  const first = await submitAll(
    account,
    Array.from({ length: 4 }, () => 'sim:ok:1500'),
  );
  await until('four run', async () => (await processing()) === 4);
  await submitAll(
    account,
    Array.from({ length: 4 }, () => 'sim:ok:300'),
  );
  await submitAll(
    account,
    Array.from({ length: 6 }, () => 'sim:hold'),
  );
  await set(2);
  expect(await processing(), 'running generations continue').toBe(4);

  const { rows } = await until('the first four have ended', async () => {
    const found = await stack.db.pool.query<{ at: Date }>(
      `SELECT max(completed_at) AS at FROM generation WHERE id = ANY ($1) HAVING count(completed_at) = 4`,
      [first],
    );
    return found.rowCount === 1 && found;
  });
  await until('the middle four have ended', async () => (await countByStatus(account)).succeeded === 8);
  await until('two more run', async () => (await processing()) === 2);
  await sleep(500);
  expect(await countByStatus(account)).toEqual({ succeeded: 8, processing: 2, queued: 4 });
  const since = rows[0]?.at as Date;
  expect(
    await findMostAtOnce(stack.db, [account.accountId], since),
    'immediately after the change',
  ).toBeLessThanOrEqual(2);

  await set(5);
  await until('five run', async () => (await processing()) === 5, 5_000);
  await set(1);
  await sleep(500);
  expect(await countByStatus(account), 'a lower limit ends no generation').toEqual({
    succeeded: 8,
    processing: 5,
    queued: 1,
  });
});
