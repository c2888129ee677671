// Limits: request rates, their headers, 429.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, call, expectProblem, IMAGE, imageBody, newKey, postUpload, run, sleep } from './kit.mjs';
import { accepted } from './media.mjs';
import { decision } from './mode.mjs';
import * as schema from './schema.mjs';

/** The four headers (Limits, "Rate limit response headers"), as numbers. */
function rate(answer) {
  const whole = (name) => {
    const value = answer.headers.get(name);
    assert.match(value ?? '', /^\d+$/, `${answer.operation} answered ${answer.status} with ${name}: ${value}`);
    return Number(value);
  };
  const seen = {
    limit: whole('ratelimit-limit'),
    remaining: whole('ratelimit-remaining'),
    reset: whole('ratelimit-reset'),
  };
  const policy = /^(\d+);w=(\d+)$/.exec(answer.headers.get('ratelimit-policy') ?? '');
  assert.ok(policy, `RateLimit-Policy is <limit>;w=<seconds>: ${answer.headers.get('ratelimit-policy')}`);
  assert.equal(Number(policy[1]), seen.limit, 'the policy is of the limit shown');
  assert.ok(seen.remaining <= seen.limit && seen.reset <= Number(policy[2]));
  return { ...seen, window: Number(policy[2]) };
}
function expectRetryAfter(refused, reset) {
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  decision(() => assert.equal(refused.headers.get('retry-after'), String(reset))); // RateLimit-*
}
const ping = (key) => call('GET /v1/generations/concurrency', { key });

test('ratelimit: every successful authenticated response has the four headers', async () => {
  const ended = await run(imageBody());
  const answers = [
    await call('POST /v1/quotes', { key: 'full', json: { modelId: IMAGE, params: { prompt: 'sim:ok' } } }),
    await call('POST /v1/generations', { key: 'full', json: imageBody(), headers: { 'idempotency-key': newKey() } }),
    await call('GET /v1/generations', { key: 'full' }),
    await call(`GET /v1/generations/${ended.id}`, { key: 'full' }),
    await ping('full'),
    await postUpload(accepted[0]),
    await call(`GET /v1/assets/${ended.outputs[0].id}`, { key: 'full' }),
    await call('GET /v1/account', { key: 'full' }),
  ];
  for (const answer of answers) {
    assert.ok([200, 201].includes(answer.status), answer.text);
    rate(answer);
  }
});
test('ratelimit: RateLimit-Limit is the stricter limit of key and account', async () => {
  const { rateLimits } = await account('full');
  assert.equal(rate(await ping('full')).limit, Math.min(rateLimits.key.limit, rateLimits.account.limit));
});
/** Waits until the first request with each key is the first of its window, with time left; returns those responses. */
async function freshWindow(...keys) {
  for (let tries = 0; tries < 4; tries += 1) {
    const answers = await Promise.all(keys.map(ping));
    const rates = answers.map(rate);
    if (
      answers.every((each) => each.status === 200) &&
      rates.every((each) => each.remaining === 119 && each.reset >= 25)
    )
      return answers;
    await sleep(1000 * (Math.max(...rates.map((each) => each.reset)) + 0.3));
  }
  assert.fail('no fresh window of account L');
}

test('ratelimit: 120 requests of a key pass and count down; the 121st is 429 with Retry-After = Reset', {
  timeout: 300_000,
}, async () => {
  const [first] = await freshWindow('limits');
  const seen = [rate(first)];
  assert.deepEqual([seen[0].limit, seen[0].window], [120, 60]);
  for (let batch = 0; batch < 119; batch += 17) {
    const answers = await Promise.all(Array.from({ length: 17 }, () => ping('limits')));
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text);
      seen.push(rate(answer));
    }
  }
  assert.deepEqual(
    seen.map((each) => each.remaining).sort((a, b) => b - a),
    Array.from({ length: 120 }, (_, n) => 119 - n),
    'each request takes one',
  );
  const refused = await ping('limits');
  expectProblem(refused, 429, 'rate_limited');
  const { limit, remaining, reset } = rate(refused);
  assert.deepEqual([limit, remaining], [120, 0]);
  expectRetryAfter(refused, reset);
  assert.ok(reset >= 1 && reset <= 60);
});
test('ratelimit: public operations work with a key over its limit', async () => {
  assert.equal((await call('GET /v1/models', { key: 'limits' })).status, 200); // the limits apply to authenticated operations
});
test('ratelimit: after Retry-After the key is served again; then 300 requests of the account over three keys pass and the next is 429 on a key with room', {
  timeout: 300_000,
}, async () => {
  const over = await ping('limits');
  if (over.status === 429) await sleep(1000 * (Number(over.headers.get('retry-after')) + 0.3));
  await freshWindow('limits', 'limits2', 'limits3');
  const plan = [...Array(119).fill('limits'), ...Array(119).fill('limits2'), ...Array(59).fill('limits3')];
  for (let from = 0; from < plan.length; from += 23) {
    for (const answer of await Promise.all(plan.slice(from, from + 23).map(ping)))
      assert.equal(answer.status, 200, answer.text);
  }
  const refused = await ping('limits3');
  expectProblem(refused, 429, 'rate_limited');
  const { remaining, reset } = rate(refused);
  assert.equal(remaining, 0);
  expectRetryAfter(refused, reset);
});
test('ratelimit: account L shows 120 and 300 requests per 60 s', { timeout: 120_000 }, async () => {
  let answer = await call('GET /v1/account', { key: 'limits2' });
  if (answer.status === 429) {
    await sleep(1000 * (Number(answer.headers.get('retry-after')) + 0.3));
    answer = await call('GET /v1/account', { key: 'limits2' });
  }
  schema.assertValid(schema.publicAccount, answer.body);
  assert.deepEqual(answer.body.rateLimits, {
    key: { limit: 120, windowSeconds: 60 },
    account: { limit: 300, windowSeconds: 60 },
  });
});
