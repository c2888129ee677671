import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { openStream } from '../webhooks/read-stream.ts';
import { exchange } from './raw-socket.ts';

/** A field name of the client, which may be anything. */
const SECRET = 'sk_live_secret';

let stack: Stack;
let account: TestAccount;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), workers: 0, env: { LOG_LEVEL: 'info' } });
  account = await makeAccount(stack);
});

afterAll(() => stack?.stop());

type Line = Record<string, unknown>;

function linesOf(member: Member, requestId: unknown): Line[] {
  return member.logs
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.msg === 'request' && line.requestId === requestId);
}

async function onlyLine(member: Member, requestId: unknown): Promise<Line> {
  const lines = await until(`a line of ${requestId}`, async () => {
    const found = linesOf(member, requestId);
    return found.length > 0 && found;
  });
  expect(lines).toHaveLength(1);
  return lines[0] as Line;
}

test('one access line per request with request id, account, key id, operation, status and milliseconds', async () => {
  const api = stack.api();
  const { key, keyId, accountId } = account;
  const answer = await call(api.url, 'GET /v1/account', { key });
  expect(answer.status).toBe(200);
  const line = await onlyLine(api, answer.headers['x-request-id']);
  expect(line).toMatchObject({ level: 'info', method: 'GET', operation: 'getAccount', status: 200, accountId, keyId });
  expect(line.durationMs).toBeGreaterThan(0);
  expect(line.durationMs).toBeLessThan(10_000);
});

test('the line of a submit names its generation, and that of a refusal its code and the paths of its issues', async () => {
  const api = stack.api();
  const { key } = account;
  const idempotencyKey = newIdempotencyKey();
  for (const status of [201, 200]) {
    const { headers, body } = await submit(api.url, { key, idempotencyKey });
    const line = await onlyLine(api, headers['x-request-id']);
    expect(line).toMatchObject({ operation: 'createGeneration', status, generationId: body.id });
  }
  const made = await call(api.url, 'POST /openai/v1/videos', {
    key,
    headers: { 'x-max-coins': '100000' },
    json: { model: 'clip-maker', prompt: 'waves' },
  });
  expect(await onlyLine(api, made.headers['x-request-id'])).toMatchObject({ generationId: made.body.id });

  const json = { modelId: 'canvas', params: { num_outputs: 99, resolution: '9k' }, [SECRET]: 1 };
  const refused = await call(api.url, 'POST /v1/generations', {
    key,
    headers: { 'idempotency-key': newIdempotencyKey() },
    json: { ...json, maxCoins: 1 },
  });
  expect(await onlyLine(api, refused.body.instance)).toMatchObject({ code: 'invalid_params', issuePaths: '(unknown)' });
  const quote = await call(api.url, 'POST /v1/quotes', { key, json: { modelId: json.modelId, params: json.params } });
  const line = await onlyLine(api, quote.body.instance);
  expect(line.issuePaths).toContain('params.num_outputs');
  expect(api.logs.join('')).not.toContain(SECRET);
});

test('health checks are not logged at info', async () => {
  const api = stack.api();
  for (const path of ['/healthz', '/readyz']) {
    const { status, headers } = await call(api.url, `GET ${path}`);
    // Lines are written in order: that of the next request follows.
    const next = await call(api.url, 'GET /v1/account', { key: account.key });
    await onlyLine(api, next.headers['x-request-id']);
    expect([status, linesOf(api, headers['x-request-id'])]).toEqual([200, []]);
  }
});

test('the log contains the instance of every problem, whatever refused the request', async () => {
  const api = stack.api();
  const { key, accountId } = account;
  const refused = [
    [await call(api.url, 'GET /v1/account'), { status: 401, code: 'unauthorized', operation: 'getAccount' }],
    [
      await call(api.url, 'POST /v1/quotes', { key, json: { modelId: 'none', params: {} } }),
      { status: 404, code: 'unknown_model', operation: 'createQuote', accountId },
    ],
    [await call(api.url, 'GET /v1/generations/no-id', { key }), { status: 404, operation: 'getGeneration' }],
    [await call(api.url, 'GET /nothing-here'), { status: 404, code: 'not_found' }],
    [await call(api.url, 'POST /v1/account', { key }), { status: 405, code: 'invalid_params' }],
    [await call(api.url, 'GET /%zz'), { status: 400, code: 'invalid_params' }],
  ] as const;
  for (const [answer, fields] of refused) {
    expect(answer.status).toBe(fields.status);
    expect(await onlyLine(api, answer.body.instance)).toMatchObject(fields);
  }
  const { responses } = await exchange(api.url, 'THIS IS NOT HTTP\r\n\r\n');
  const { instance } = JSON.parse(responses[0]?.text ?? '');
  expect(await onlyLine(api, instance)).toMatchObject({ status: 400, code: 'invalid_params' });
});

test('a client that disconnects early and a stream are logged too', async () => {
  const api = stack.api();
  const { key } = account;
  const before = api.logs.length;
  await new Promise<void>((resolve) => {
    const request = httpRequest(`${api.url}/v1/quotes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': '100' },
    });
    request.on('error', () => resolve());
    request.write('{');
    setTimeout(() => request.destroy(), 200);
  });
  await until('the line of the disconnected client', async () =>
    api.logs.slice(before).join('').includes('"operation":"createQuote","status":499'),
  );
  const stream = await openStream(api.url, { key });
  expect(linesOf(api, stream.headers['x-request-id'])).toEqual([]);
  stream.close();
  expect(await onlyLine(api, stream.headers['x-request-id'])).toMatchObject({
    operation: 'streamEvents',
    status: 200,
  });
});

test('sampling for 2xx is configurable: with ACCESS_LOG_SHARE=0 only failed requests are logged', async () => {
  const api = await stack.start('api', { ACCESS_LOG_SHARE: '0' });
  const { key } = account;
  const good = await Promise.all(Array.from({ length: 20 }, () => call(api.url, 'GET /v1/account', { key })));
  expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
  const bad = await call(api.url, 'GET /v1/account');
  await onlyLine(api, bad.body.instance);
  for (const { headers } of good) expect(linesOf(api, headers['x-request-id'])).toEqual([]);
});
