import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { type Answer, call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { type OpenStream, openStream } from '../webhooks/read-stream.ts';

const MAX_STREAMS = 5;
const MAX_RESUMABLE = 20;

let stack: Stack;
const url = () => stack.api().url;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
});

afterAll(() => stack?.stop());

/** A client that reads only the rate limit headers must wait as long as one that reads Retry-After. */
function expectConsistent({ status, headers }: Pick<Answer, 'status' | 'headers'>): void {
  expect(status).toBe(429);
  expect(headers['ratelimit-remaining']).toBe('0');
  expect(headers['ratelimit-reset']).toBe(headers['retry-after']);
  expect(headers['ratelimit-policy']).toBe(`${headers['ratelimit-limit']};w=60`);
}

test('too many streams: the 429 response agrees with the rate limit headers', async () => {
  const { key } = await makeAccount(stack);
  const open: OpenStream[] = [];
  for (let n = 0; n < MAX_STREAMS; n += 1) open.push(await openStream(url(), { key }));
  const refused = await openStream(url(), { key });
  expectConsistent({ status: refused.status, headers: refused.headers as Answer['headers'] });
  for (const stream of [...open, refused]) stream.close();
});

test('too many uploads: the 429 response agrees with the rate limit headers', async () => {
  const { key } = await makeAccount(stack);
  const begin = () => call(url(), 'POST /v1/uploads/resumable', { key, json: { bytes: 1_000 } });
  const begun = await Promise.all(Array.from({ length: MAX_RESUMABLE }, begin));
  expect(begun.map(({ status }) => status)).toEqual(Array(MAX_RESUMABLE).fill(201));
  expect(Number(begun[0]?.headers['ratelimit-remaining'])).toBeGreaterThan(0);
  expectConsistent(await begin());
});
