import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readServices, startRedis, startServices, stopRedis, stopServices } from '../../scripts/services.ts';
import { makeAccount, type TestAccountOptions } from '../harness/account.ts';
import { type Answer, call, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';

const PROCESSES = 3;
const PARALLEL = 500;
const KEY_LIMIT = 120;
const ACCOUNT_LIMIT = 300;
const LIMITS: TestAccountOptions = { rateLimit: ACCOUNT_LIMIT, keyRateLimit: KEY_LIMIT };
const HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];
const HANG_ANSWER_MS = 1_000;

let dir: string;
let stack: Stack;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-limits-'));
  stack = await startStack({ services: await startServices({ dir }), apis: PROCESSES, workers: 0 });
});

afterAll(async () => {
  await stack?.stop();
  await stopServices({ dir });
  await rm(dir, { recursive: true, force: true });
});

/** Concurrent requests, spread over the processes and the keys. */
function volley(keys: readonly string[], count = PARALLEL): Promise<Answer[]> {
  const one = (n: number) =>
    call(stack.api(n % PROCESSES).url, 'GET /v1/account', { key: keys[n % keys.length] as string });
  return Promise.all(Array.from({ length: count }, (_, n) => one(n)));
}

function passed(answers: readonly Answer[]): Answer[] {
  const allowed = answers.filter(({ status }) => status === 200);
  for (const answer of answers) {
    for (const name of HEADERS) expect(answer.headers[name], name).toBeDefined();
    const { 'ratelimit-limit': limit, 'ratelimit-reset': reset } = answer.headers;
    expect(answer.headers['ratelimit-policy']).toBe(`${limit};w=60`);
    expect(Number(reset)).toBeGreaterThanOrEqual(1);
    expect(Number(reset)).toBeLessThanOrEqual(60);
    if (answer.status === 200) continue;
    expectProblem(answer, { status: 429, code: 'rate_limited' });
    expect(answer.headers['retry-after']).toBe(reset);
    expect(answer.headers['ratelimit-remaining']).toBe('0');
  }
  return allowed;
}

async function countExactly(): Promise<void> {
  const { key } = await makeAccount(stack, LIMITS);
  const allowed = passed(await volley([key]));
  expect(allowed).toHaveLength(KEY_LIMIT);
  const left = allowed.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b);
  expect(left, 'each number occurs once').toEqual(Array.from({ length: KEY_LIMIT }, (_, n) => n));
}

/** Each process sees the counts of the others. */
async function isShared(): Promise<boolean> {
  const { key } = await makeAccount(stack, LIMITS);
  const left: number[] = [];
  for (let n = 0; n < PROCESSES; n += 1) {
    const { headers } = await call(stack.api(n).url, 'GET /v1/account', { key });
    left.push(Number(headers['ratelimit-remaining']));
  }
  return left.every((value, n) => value === KEY_LIMIT - 1 - n);
}

describe(`${PROCESSES} processes, ${PARALLEL} requests at once`, () => {
  // The limits of an account with several keys are in the conformance kit.
  test(`one key: exactly ${KEY_LIMIT} pass`, () => countExactly());
});

describe('without Redis', () => {
  test('nothing fails while it stops, and each process counts separately', async () => {
    const { key } = await makeAccount(stack, LIMITS);
    const during = volley([key], PARALLEL);
    await stopRedis({ dir });
    const answers = [...(await during), ...(await volley([key]))];
    const { length } = passed(answers);
    console.info(`${length} of ${answers.length} passed, at most ${KEY_LIMIT} x ${PROCESSES} may`);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(length).toBeGreaterThanOrEqual(KEY_LIMIT);
    expect(length).toBeLessThanOrEqual(KEY_LIMIT * PROCESSES);
  });

  test(`a key first used then passes exactly ${KEY_LIMIT} x ${PROCESSES} times`, async () => {
    const { key } = await makeAccount(stack, { keyRateLimit: KEY_LIMIT });
    expect(passed(await volley([key]))).toHaveLength(KEY_LIMIT * PROCESSES);
  });

  test('when Redis returns, the count is shared and exact again', async () => {
    await startRedis({ dir });
    const startedAt = performance.now();
    await until('the count is shared', isShared);
    console.info(`shared again after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    await countExactly();
  });

  test('a Redis that hangs does not slow down requests', async () => {
    const pid = readServices({ dir })?.pids.redis as number;
    process.kill(pid, 'SIGSTOP');
    try {
      const { key } = await makeAccount(stack, LIMITS);
      const startedAt = performance.now();
      const answers = await volley([key], 60);
      const tookMs = performance.now() - startedAt;
      console.info(`60 requests answered in ${tookMs.toFixed(0)} ms while Redis hangs`);
      expect(passed(answers)).toHaveLength(60);
      expect(tookMs).toBeLessThan(HANG_ANSWER_MS);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the count is shared', isShared);
    await countExactly();
  });
});
