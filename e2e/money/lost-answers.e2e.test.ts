import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, isUndecided, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/start-database-proxy.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

const PRICE = 7;
/** Ends share a statement only if they arrive together: many at once, and rounds until it was sent. */
const AT_ONCE = 24;
const MAX_ROUNDS = 20;

let stack: Stack;
let proxy: DatabaseProxy;
let api: Member;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0, env: { SHUTDOWN_SECONDS: '1' } });
  proxy = await startDatabaseProxy(stack.appUrl);
  api = await stack.start('api', { DATABASE_URL: proxy.url });
});
afterEach(() => stack.assertBooks());
afterAll(async () => {
  await stack?.stop();
  await proxy?.stop();
});

const countGenerations = async (accountId: string) =>
  (await stack.db.pool.query('SELECT 1 FROM generation WHERE account_id = $1', [accountId])).rowCount;

test('the response to a committed submit is lost: the client still gets its 201, and one hold', async () => {
  const account = await makeAccount(stack);
  const before = proxy.lost;
  proxy.loseAnswers({ statement: 'submit_generation', times: 3 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => submit(api.url, { key: account.key, prompt: 'sim:hold' })),
  );
  expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(10);
  expect(proxy.lost - before).toBe(3);
  expect(await countGenerations(account.accountId)).toBe(10);
});

test('the database stays unavailable: an unknown outcome is 500, never 503, and the repeat is 200 with the same id', async () => {
  const account = await makeAccount(stack);
  const options = { key: account.key, prompt: 'sim:hold', idempotencyKey: newIdempotencyKey() };
  proxy.loseAnswers({ statement: 'submit_generation', times: 1, thenRefuseMs: 6_000 });
  const refused = await call(api.url, 'POST /v1/generations', {
    key: options.key,
    headers: { 'idempotency-key': options.idempotencyKey },
    json: { modelId: 'canvas', params: { prompt: options.prompt }, maxCoins: 1_000_000 },
  });
  expect(refused.body).toMatchObject({
    status: 500,
    code: 'internal',
    detail: expect.stringContaining('Send the same request again with the same Idempotency-Key'),
  });
  expect(String(refused.headers['retry-after'])).toMatch(/^\d+$/);
  expect(refused.body.detail).not.toContain('Nothing was charged');
  const repeated = await until('the database responds', async () => {
    const answer = await submit(api.url, options);
    return !isUndecided(answer) && answer;
  });
  expect(repeated.status).toBe(200);
  expect(await countGenerations(account.accountId)).toBe(1);
});

test('the response to a committed cancel is lost: 503, and the generation is canceled once', async () => {
  const account = await makeAccount(stack);
  const { body } = await submit(api.url, { key: account.key });
  proxy.loseAnswers({ statement: 'cancel_generation', times: 1 });
  const lost = await call(api.url, `POST /v1/generations/${body.id}/cancel`, { key: account.key });
  expect(lost.status).toBe(503);
  const again = await call(api.url, `POST /v1/generations/${body.id}/cancel`, { key: account.key });
  expect([again.status, again.body.code]).toEqual([409, 'not_cancelable']);
  const read = await call(api.url, `GET /v1/generations/${body.id}`, { key: account.key });
  expect(read.body.status).toBe('canceled');
});

describe('the response to a worker is lost', () => {
  beforeAll(async () => {
    await stack.start('worker', { DATABASE_URL: proxy.url });
  });

  test.each(['take_generations', 'save_submitted', 'settle_generation', 'settle_generations'])(
    'after it committed %s: the worker resumes, and the generation is charged once',
    async (statement) => {
      const account = await makeAccount(stack, { runLimit: AT_ONCE });
      const before = proxy.lost;
      proxy.loseAnswers({ statement, times: 2 });
      const startedAtMs = Date.now();
      for (let round = 1; proxy.lost === before && round <= MAX_ROUNDS; round += 1) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, () => submit(api.url, { key: account.key, prompt: 'sim:ok:20' })),
        );
        await until(
          'all have ended',
          async () => {
            const { rows } = await stack.db.pool.query<{ n: number }>(
              `SELECT count(*)::int AS n FROM generation WHERE account_id = $1 AND status = 'succeeded' AND coins_charged = $2`,
              [account.accountId, PRICE],
            );
            return rows[0]?.n === round * AT_ONCE;
          },
          60_000,
        );
      }
      console.log(
        `${proxy.lost - before} answers to ${statement} lost, all settled after ${Date.now() - startedAtMs} ms`,
      );
      expect(proxy.lost - before).toBeGreaterThan(0);
    },
  );
});
