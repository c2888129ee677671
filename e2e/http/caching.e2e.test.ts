import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from '@atelier/contract';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { openStream } from '../webhooks/read-stream.ts';

let stack: Stack;
let account: TestAccount;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), workers: 0 });
  account = await makeAccount(stack);
});

afterAll(() => stack?.stop());

test('Cache-Control: no-store on every authenticated response, also on problems', async () => {
  const { url } = stack.api();
  const { key } = account;
  const { key: keyWithoutScopes } = await makeKey(stack, account, { scopes: [] });
  const generation = (await submit(url, { key })).body;
  const good = [
    await call(url, 'GET /v1/account', { key }),
    await call(url, 'GET /v1/generations', { key }),
    await call(url, `GET /v1/generations/${generation.id}`, { key }),
    await call(url, 'GET /v1/generations/concurrency', { key }),
    await call(url, 'GET /v1/events', { key }),
    await call(url, 'POST /v1/quotes', { key, json: { modelId: 'canvas', params: { prompt: 'sim:ok' } } }),
    await submit(url, { key }),
    await call(url, `POST /v1/generations/${generation.id}/cancel`, { key }),
  ];
  for (const answer of good) {
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(answer.headers['cache-control']).toBe('no-store');
  }
  const invalid = await call(url, 'POST /v1/quotes', { key, json: {} });
  expect([invalid.status, invalid.headers['cache-control']]).toEqual([400, 'no-store']);
  const stream = await openStream(url, { key });
  expect(stream.headers['cache-control']).toContain('no-store');
  stream.close();

  const guarded = Object.values(operations).filter(({ scope }) => scope !== null);
  expect(guarded.length).toBeGreaterThan(10);
  for (const { method, path } of guarded) {
    const at = `${method} ${path.replaceAll(/\{\w+\}/g, generation.id)}`;
    const headers = { 'idempotency-key': newIdempotencyKey() };
    for (const each of [undefined, keyWithoutScopes]) {
      const answer = await call(url, at, { headers, ...(each === undefined ? {} : { key: each }) });
      expect([401, 403]).toContain(answer.status);
      expect(answer.headers['cache-control'], `${answer.status} of ${at}`).toBe('no-store');
    }
  }
  const models = await call(url, 'GET /v1/models');
  expect(models.headers['cache-control']).toBe('public, max-age=60');
});

test('/readyz asks nothing: the bucket is checked at an interval, however many ask', async () => {
  let checks = 0;
  const bucket: Server = createServer((_request, response) => {
    checks += 1;
    setTimeout(() => response.writeHead(200).end(), 100);
  });
  await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = bucket.address() as AddressInfo;
    const api = await stack.start('api', { S3_ENDPOINT: `http://127.0.0.1:${port}` });
    checks = 0;
    const startedMs = Date.now();
    await until('a check at the interval', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => call(api.url, 'GET /readyz')));
      for (const answer of answers) expect(answer.status).toBe(200);
      expect(answers[0]?.headers['cache-control']).toBe('no-store');
      return checks > 0;
    });
    const seconds = Math.ceil((Date.now() - startedMs) / 1000);
    // One at each interval, and one of the warnings at the start.
    expect(checks, `in ${seconds} s`).toBeLessThanOrEqual(2 + Math.ceil(seconds / 3));
  } finally {
    bucket.closeAllConnections();
    bucket.close();
  }
});
