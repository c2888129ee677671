import { GenerationProgress, WebhookEvent } from '@atelier/contract';
import { revokeApiKey } from '@atelier/server/domain/accounts/revoke-api-key.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, makeKey } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { endGeneration } from './end-generation.ts';
import { type OpenStream, openStream } from './read-stream.ts';

const isEvent = Compile(WebhookEvent);
const isProgress = Compile(GenerationProgress);
let stack: Stack;
let url: string;

beforeAll(async () => {
  stack = await startStack({ services: inject('services') });
  url = stack.api().url;
});
afterAll(() => stack?.stop());

const ends = (stream: OpenStream) => stream.events.filter(({ event }) => event !== 'generation.progress');
const isThere = async (stream: OpenStream, count: number) => ends(stream).length >= count;

test('progress and terminal events arrive in order, each terminal event with a cursor', async () => {
  const { key } = await makeAccount(stack, { runLimit: 1 });
  const stream = await openStream(url, { key });
  expect(stream.status).toBe(200);
  expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(stream.headers['ratelimit-policy']).toMatch(/;w=60$/);
  const first = (await submit(url, { key, prompt: 'sim:ok:1500' })).body.id;
  const second = (await submit(url, { key, prompt: 'sim:fail:content_policy' })).body.id;
  await until('both ended', () => isThere(stream, 2));
  expect(ends(stream).map(({ event, data }) => [event, data.data.generation.id])).toEqual([
    ['generation.succeeded', first],
    ['generation.failed', second],
  ]);
  for (const { id, event, data } of stream.events) {
    if (event === 'generation.progress') {
      expect(isProgress.Check(data)).toBe(true);
      expect(id).toBeNull();
    } else {
      expect(isEvent.Check(data)).toBe(true);
      expect(id).toMatch(/^e1\./);
      expect(data.type).toBe(event);
    }
  }
  const told = stream.events.filter(({ event, data }) => event === 'generation.progress' && data.id === second);
  expect(told[0]?.data).toMatchObject({ status: 'queued' });
  const running = stream.events.filter(({ event, data }) => event === 'generation.progress' && data.id === first);
  expect(running.map(({ data }) => data.status)).toContain('processing');
  stream.close();
});

test('a broken stream resumes with Last-Event-ID or after, without gaps or duplicates', async () => {
  const account = await makeAccount(stack, { runLimit: 1_000 });
  const { key } = account;
  const seen: string[] = [];
  let last = (await openStream(url, { key }).then(async (stream) => {
    await until('the first position', async () => stream.lastId());
    stream.close();
    return stream.lastId();
  })) as string;
  const total = 120;
  const writing = (async () => {
    for (let n = 0; n < total; n += 1) await endGeneration(stack.db, account);
  })();
  for (let turn = 0; seen.length < total; turn += 1) {
    const stream = await openStream(url, { key, ...(turn % 2 === 0 ? { lastEventId: last } : { after: last }) });
    await until('an event arrived', () => isThere(stream, Math.min(30, total - seen.length)), 30_000, 20);
    stream.close();
    await stream.ended();
    seen.push(...ends(stream).map(({ data }) => data.id));
    last = stream.lastId() as string;
  }
  await writing;
  const { body } = await call(url, 'GET /v1/events?limit=100', { key });
  const rest = await call(url, `GET /v1/events?limit=100&after=${body.nextAfter}`, { key });
  expect(seen).toEqual([...body.items, ...rest.body.items].map(({ id }: { id: string }) => id));
  // A position of the list also works for the stream.
  const stream = await openStream(url, { key, after: body.nextAfter });
  await until('the rest arrived', () => isThere(stream, 20));
  expect(ends(stream).map(({ data }) => data.id)).toEqual(rest.body.items.map(({ id }: { id: string }) => id));
  stream.close();
});

test('a client that stops reading loses nothing', async () => {
  const account = await makeAccount(stack, { runLimit: 1_000 });
  const stream = await openStream(url, { key: account.key });
  stream.pause();
  for (let n = 0; n < 400; n += 1) await endGeneration(stack.db, account);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  stream.resume();
  await until('all arrived', () => isThere(stream, 400));
  expect(new Set(ends(stream).map(({ data }) => data.id)).size).toBe(400);
  stream.close();
});

test('an account does not receive events of other accounts', async () => {
  const [one, other] = [await makeAccount(stack), await makeAccount(stack)];
  const stream = await openStream(url, { key: one.key });
  await endGeneration(stack.db, other);
  await endGeneration(stack.db, one);
  await until('its own events arrived', () => isThere(stream, 1));
  expect(ends(stream)).toHaveLength(1);
  const { body } = await call(url, 'GET /v1/events', { key: other.key });
  const foreign = await openStream(url, { key: one.key, lastEventId: body.nextAfter });
  expect(foreign.status).toBe(400);
  stream.close();
});

test('the usual checks: 401 without a key, 403 without the scope, 429 beyond five streams, 400 for an invalid cursor', async () => {
  const account = await makeAccount(stack);
  expect((await openStream(url)).status).toBe(401);
  const { key } = await makeKey(stack, account, { scopes: ['generate'] });
  expect((await openStream(url, { key })).status).toBe(403);
  expect((await openStream(url, { key: account.key, lastEventId: 'e1.made.up.place' })).status).toBe(400);
  expect((await call(url, 'GET /v1/events/stream?since=1', { key: account.key })).body.code).toBe('invalid_params');
  const open = await Promise.all(Array.from({ length: 5 }, () => openStream(url, { key: account.key })));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const sixth = await openStream(url, { key: account.key });
  expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '15']);
  open[0]?.close();
  await until('a stream has ended', async () => {
    const again = await openStream(url, { key: account.key });
    if (again.status === 200) open.push(again);
    return again.status === 200;
  });
  for (const stream of open) stream.close();
});

test('a heartbeat is sent every fifteen seconds', async () => {
  const account = await makeAccount(stack);
  const stream = await openStream(url, { key: account.key });
  await until('a heartbeat', async () => stream.comments.length > 0, 20_000);
  stream.close();
});

test('a revoked key ends its event stream within 5 s, and no other stream', async () => {
  const account = await makeAccount(stack);
  const other = await makeKey(stack, account);
  const [stream, otherStream] = [
    await openStream(url, { key: account.key }),
    await openStream(url, { key: other.key }),
  ];
  let otherEnded = false;
  void otherStream.ended().then(() => {
    otherEnded = true;
  });
  // The process has just cached the key.
  await call(url, 'GET /v1/account', { key: account.key });
  await withTx(stack.db, (tx) =>
    revokeApiKey(tx, { accountId: account.accountId, keyId: account.keyId, actor: 'test' }),
  );
  const startedMs = Date.now();
  await stream.ended();
  const tookMs = Date.now() - startedMs;
  console.info(`the stream ended ${tookMs} ms after the revocation`);
  expect(tookMs).toBeLessThan(5_000);
  expect(otherEnded).toBe(false);
  otherStream.close();
  await until('the key is refused', async () => (await openStream(url, { key: account.key })).status === 401);
});

test('a key that expires ends its event stream within 5 s', async () => {
  const account = await makeAccount(stack);
  const { key } = await makeKey(stack, account, { expiresAt: new Date(Date.now() + 2_000) });
  const startedMs = Date.now();
  const stream = await openStream(url, { key });
  expect(stream.status).toBe(200);
  await stream.ended();
  expect(Date.now() - startedMs).toBeLessThan(2_000 + 5_000);
});

test('a service that stops ends its streams', async () => {
  const api = await stack.start('api');
  const { key } = await makeAccount(stack);
  const stream = await openStream(api.url, { key });
  expect(stream.status).toBe(200);
  const startedMs = Date.now();
  api.signal('SIGTERM');
  await Promise.all([stream.ended(), api.gone()]);
  expect(Date.now() - startedMs).toBeLessThan(9_000);
});
