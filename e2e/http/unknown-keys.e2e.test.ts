import { newApiKey } from '@atelier/server/domain/accounts/api-key.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey } from '../harness/account.ts';
import { call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';

const LIMIT = 5;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    workers: 0,
    env: { UNKNOWN_KEY_RATE_LIMIT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1/32' },
  });
});

afterAll(() => stack?.stop());

const unknownKey = () => newApiKey({ cell: 'c1', mode: 'test' }).key;
const ask = (key: string, address: string, url = stack.api().url) =>
  call(url, 'GET /v1/account', { key, headers: { 'x-forwarded-for': address } });

test('unknown keys are throttled per address: 429 after the limit, and no other address is affected', async () => {
  for (let n = 0; n < LIMIT; n += 1) {
    const key = n % 2 === 0 ? unknownKey() : 'atl_sk_malformed';
    expectProblem(await ask(key, '203.0.113.7'), { status: 401, code: 'invalid_api_key' });
  }
  for (const key of [unknownKey(), 'atl_sk_malformed']) {
    const refused = await ask(key, '203.0.113.7');
    expectProblem(refused, { status: 429, code: 'rate_limited' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(refused.headers['ratelimit-reset']).toBe(refused.headers['retry-after']);
    expect(refused.headers['ratelimit-policy']).toBe(`${LIMIT};w=60`);
  }
  expectProblem(await ask(unknownKey(), '203.0.113.8'), { status: 401, code: 'invalid_api_key' });
  expectProblem(await call(stack.api().url, 'GET /v1/account', { headers: { 'x-forwarded-for': '203.0.113.7' } }), {
    status: 401,
    code: 'unauthorized',
  });
});

test('valid keys of a throttled address are served during a flood, also one that was never used before', async () => {
  const account = await makeAccount(stack);
  expect((await ask(account.key, '203.0.113.9')).status).toBe(200);
  const flood = Promise.all(Array.from({ length: 400 }, () => ask(unknownKey(), '203.0.113.9')));
  const fresh = await makeKey(stack, account);
  const served = await Promise.all([ask(account.key, '203.0.113.9'), ask(fresh.key, '203.0.113.9')]);
  expect(served.map(({ status }) => status)).toEqual([200, 200]);
  const refused = (await flood).filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  const [again] = await Promise.all([ask(account.key, '203.0.113.9'), ask(fresh.key, '203.0.113.9')]);
  expect(again?.status).toBe(200);
  expectProblem(await ask(unknownKey(), '203.0.113.9'), { status: 429, code: 'rate_limited' });
});

test('addresses of one IPv6 network count together', async () => {
  for (let n = 0; n < LIMIT; n += 1) expect((await ask(unknownKey(), `2001:db8:1:2::${n}`)).status).toBe(401);
  expect((await ask(unknownKey(), '2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await ask(unknownKey(), '2001:db8:1:3::1')).status).toBe(401);
});

test('X-Forwarded-For of an untrusted client is ignored', async () => {
  const { url } = await stack.start('api', { TRUSTED_PROXIES: '' });
  for (let n = 0; n < LIMIT; n += 1) expect((await ask(unknownKey(), `198.51.100.${n}`, url)).status).toBe(401);
  expect((await ask(unknownKey(), '198.51.100.99', url)).status).toBe(429);
});
