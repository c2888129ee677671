import { revokeApiKey } from '@atelier/server/domain/accounts/revoke-api-key.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';

const READS_WITHIN_MS = 1_000;
const PROCESSES = 2;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: PROCESSES, workers: 0 });
});

afterAll(() => stack?.stop());

test('a revoked key cannot spend from that moment on, and cannot read after one second', async () => {
  const account = await makeAccount(stack);
  const { id: keyId, key } = await makeKey(stack, account);
  const read = (n: number) => call(stack.api(n).url, 'GET /v1/account', { key });
  // Every process has just cached the key.
  for (let n = 0; n < PROCESSES; n += 1) {
    expect((await submit(stack.api(n).url, { key })).status).toBe(201);
    expect((await read(n)).status).toBe(200);
  }
  const { accountId } = account;
  await withTx(stack.db, (tx) => revokeApiKey(tx, { accountId, keyId, actor: 'test' }));
  const revokedAt = performance.now();

  for (let n = 0; n < PROCESSES; n += 1) {
    expectProblem(await submit(stack.api(n).url, { key }), { status: 401, code: 'api_key_revoked' });
  }
  // When the last read that was still answered had been sent.
  let lastReadMs = 0;
  for (let n = 0; n < PROCESSES; n += 1) {
    const refused = await until('reads are rejected', async () => {
      const sentMs = performance.now() - revokedAt;
      const answer = await read(n);
      if (answer.status === 200) lastReadMs = sentMs;
      return answer.status === 401 && answer;
    });
    expectProblem(refused, { status: 401, code: 'api_key_revoked' });
  }
  console.info(`reads ended ${(lastReadMs / 1000).toFixed(1)} s after the revocation`);
  expect(lastReadMs).toBeLessThan(READS_WITHIN_MS);
  expect((await call(stack.api().url, 'GET /v1/account', { key: account.key })).status, 'other keys still work').toBe(
    200,
  );
});

test('an expired key stops working in the same way', async () => {
  const account = await makeAccount(stack);
  const { key } = await makeKey(stack, account, { expiresAt: new Date(Date.now() + 1_000) });
  expect((await call(stack.api().url, 'GET /v1/account', { key })).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expectProblem(await submit(stack.api().url, { key }), { status: 401, code: 'api_key_expired' });
});

test('a misspelled key is refused without a database query', async () => {
  const { key } = await makeAccount(stack);
  const last = key.at(-1) === 'A' ? 'B' : 'A';
  const answer = await call(stack.api().url, 'GET /v1/account', { key: `${key.slice(0, -1)}${last}` });
  expectProblem(answer, { status: 401, code: 'invalid_api_key' });
  expect(answer.body.detail).toBe('The API key is not valid.');
});

test.each(['basic', 'Bearer', 'Bearer ', 'Bearer a b', 'Token x', `Bearer ${'a'.repeat(600)}`])(
  'Authorization: %s is not accepted',
  async (authorization) => {
    const answer = await call(stack.api().url, 'GET /v1/account', { headers: { authorization } });
    expectProblem(answer, { status: 401 });
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
  },
);

test('a key in the query or a cookie is not accepted', async () => {
  const { key } = await makeAccount(stack);
  const inQuery = await call(stack.api().url, `GET /v1/account?key=${key}&authorization=Bearer%20${key}`);
  expectProblem(inQuery, { status: 401, code: 'unauthorized' });
  const inCookie = await call(stack.api().url, 'GET /v1/account', {
    headers: { cookie: `authorization=Bearer ${key}` },
  });
  expectProblem(inCookie, { status: 401, code: 'unauthorized' });
});
