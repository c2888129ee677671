import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { type Answer, call, newIdempotencyKey } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { submitUntilDecided } from '../harness/submit-until-decided.ts';

const AT_ONCE = 100;
const PRICE = 7;

let stack: Stack;

beforeAll(async () => {
  // Two processes, so that no in-memory lock can help; no worker, so that accepted generations stay queued.
  stack = await startStack({ services: inject('services'), apis: 2, workers: 0 });
});
afterEach(() => stack.assertBooks());
afterAll(() => stack?.stop());

/** Concurrent requests, spread over both APIs. */
function race<T>(count: number, send: (url: string, n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => send(stack.api(n % 2).url, n)));
}

function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status < 300 ? `${status}` : `${status} ${body.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function countRows(account: TestAccount): Promise<{ generations: number; holds: number; held: number }> {
  const { rows } = await stack.db.pool.query(
    `SELECT (SELECT count(*)::int FROM generation WHERE account_id = $1) AS generations,
       (SELECT count(*)::int FROM transfer WHERE account_id = $1 AND kind = 'hold') AS holds,
       (SELECT held FROM account WHERE id = $1) AS held`,
    [account.accountId],
  );
  return rows[0];
}

test('100 concurrent submits with one key and body: one 201, 99 times 200, one hold', async () => {
  const account = await makeAccount(stack);
  const idempotencyKey = newIdempotencyKey();
  const answers = await race(AT_ONCE, (url) => submitUntilDecided(url, { key: account.key, idempotencyKey }));
  expect(tally(answers)).toEqual({ 201: 1, 200: 99 });
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  expect(await countRows(account)).toEqual({ generations: 1, holds: 1, held: PRICE });
});

test('100 concurrent submits with one key and two bodies: one winner, its repeats 200, the others 409', async () => {
  const account = await makeAccount(stack);
  const idempotencyKey = newIdempotencyKey();
  const prompts = ['a red house', 'a blue house'];
  const answers = await race(AT_ONCE, async (url, n) => {
    // Four in a row alternate over both APIs, so each API sees both bodies.
    const prompt = prompts[Math.floor(n / 2) % 2] as string;
    return { prompt, answer: await submitUntilDecided(url, { key: account.key, idempotencyKey, prompt }) };
  });
  const winner = answers.find(({ answer }) => answer.status === 201)?.prompt;
  expect(tally(answers.map(({ answer }) => answer))).toEqual({ 201: 1, 200: 49, '409 idempotency_conflict': 50 });
  for (const { prompt, answer } of answers) expect(answer.status === 409).toBe(prompt !== winner);
  expect(await countRows(account)).toEqual({ generations: 1, holds: 1, held: PRICE });
});

test('a balance of 50 at a price of 7: exactly 7 of 100 are accepted, the others are 402', async () => {
  const account = await makeAccount(stack, { coins: 50 });
  const answers = await race(AT_ONCE, (url) => submitUntilDecided(url, { key: account.key }));
  expect(tally(answers)).toEqual({ 201: 7, '402 insufficient_coins': 93 });
  expect(await countRows(account)).toEqual({ generations: 7, holds: 7, held: 49 });
});

test('a cap of 500 at a price of 7: exactly 71 of 100, and after 20 cancels exactly 20 more', async () => {
  const account = await makeAccount(stack, { monthlyCap: 500 });
  const answers = await race(AT_ONCE, (url) => submitUntilDecided(url, { key: account.key }));
  expect(tally(answers)).toEqual({ 201: 71, '402 spend_cap_exceeded': 29 });

  const accepted = answers.filter((answer) => answer.status === 201).slice(0, 20);
  // Each is canceled five times concurrently: one succeeds, and the coins are released once.
  const cancels = await race(accepted.length * 5, (url, n) =>
    call(url, `POST /v1/generations/${accepted[n % accepted.length]?.body.id}/cancel`, { key: account.key }),
  );
  expect(tally(cancels)).toEqual({ 200: 20, '409 not_cancelable': 80 });

  const more = await race(AT_ONCE, (url) => submitUntilDecided(url, { key: account.key }));
  expect(tally(more)).toEqual({ 201: 20, '402 spend_cap_exceeded': 80 });
  expect(await countRows(account)).toEqual({ generations: 91, holds: 91, held: 71 * PRICE });
});

test('two keys of one account race for its last 70 coins: exactly 10 together, neither key above its cap of 42', async () => {
  const account = await makeAccount(stack, { coins: 70, monthlyCap: 42 });
  const other = await makeKey(stack, account, { monthlyCap: 42 });
  const answers = await race(AT_ONCE, (url, n) =>
    submitUntilDecided(url, { key: n % 4 < 2 ? account.key : other.key }),
  );
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
  expect(answers.filter((answer) => answer.status === 402)).toHaveLength(90);
  expect(await countRows(account)).toEqual({ generations: 10, holds: 10, held: 70 });
});
