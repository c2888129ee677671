import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { openStream } from '../webhooks/read-stream.ts';
import { exchange } from './raw-socket.ts';

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

  const health = await call(api.url, 'GET /healthz');
  expect(await onlyLine(api, health.headers['x-request-id'])).toMatchObject({ path: '/healthz', status: 200 });
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
