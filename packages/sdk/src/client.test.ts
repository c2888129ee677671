import { afterEach, expect, test, vi } from 'vitest';
import {
  cutOff,
  json,
  problem,
  type Reply,
  reset,
  type ScriptedServer,
  stall,
  startScriptedServer,
} from '../testing/scripted-server.ts';
import {
  ApiError,
  Atelier,
  AtelierError,
  ConnectionError,
  IdempotencyConflictError,
  InvalidParamsError,
  NotCancelableError,
  RateLimitedError,
  RequestTimeoutError,
} from './index.ts';

const generation = (fields: object = {}) => ({ id: 'g1', status: 'queued', outputs: [], ...fields });
const BODY = { modelId: 'canvas', params: { prompt: 'a lake' }, maxCoins: 7 } as const;
const RETRY_NOW = { 'retry-after': '0' };

let server: ScriptedServer;
async function start(...script: Reply[]): Promise<Atelier> {
  server = await startScriptedServer(...script);
  return new Atelier({ baseUrl: `${server.url}/`, apiKey: 'key' });
}
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await server?.[Symbol.asyncDispose]();
});

test('a create sends one idempotency key and one body, however often it is retried', async () => {
  const client = await start(reset, cutOff, problem(503, 'unavailable', RETRY_NOW), json(generation(), 201));
  expect(await client.generations.create(BODY)).toMatchObject({ id: 'g1' });
  expect(server.seen).toHaveLength(4);
  expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(server.seen[0]?.headers['idempotency-key']).toMatch(/^[A-Za-z0-9_-]{16,128}$/);
  expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1);
  expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer key', 'content-type': 'application/json' });
});

test('two creates have two keys, and a given key is sent', async () => {
  const client = await start(json(generation(), 201));
  await client.generations.create(BODY);
  await client.generations.create(BODY);
  await client.generations.create(BODY, { idempotencyKey: 'my-own-key-of-16' });
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('my-own-key-of-16');
});

test('a 409 is not retried', async () => {
  const client = await start(problem(409, 'idempotency_conflict', RETRY_NOW));
  await expect(client.generations.create(BODY)).rejects.toBeInstanceOf(IdempotencyConflictError);
  expect(server.seen).toHaveLength(1);
});

test('an error has code, issues and request id', async () => {
  const issues = [{ path: 'params.prompt', message: 'is required' }];
  const body = { code: 'invalid_params', title: 'Invalid', detail: 'Wrong', status: 400, issues };
  const client = await start(json(body, 400, { 'x-request-id': 'r-7' }));
  const error = await client.quotes.create(BODY).catch((caught) => caught);
  expect(error).toBeInstanceOf(InvalidParamsError);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    name: 'InvalidParamsError',
    status: 400,
    code: 'invalid_params',
    requestId: 'r-7',
    issues,
  });
  expect(error.message).toBe('400 invalid_params: Wrong (params.prompt: is required)');
});

test('an unknown code and a response of a proxy are ApiError', async () => {
  const html: Reply = (_request, response) => void response.writeHead(418).end('<h1>Teapot</h1>');
  const client = await start(problem(400, 'constructor'), html);
  await expect(client.models.list()).rejects.toMatchObject({ name: 'ApiError', code: 'constructor' });
  await expect(client.models.list()).rejects.toMatchObject({ code: 'http_418', detail: '<h1>Teapot</h1>' });
});

test('attempts end after maxRetries, with the last error', async () => {
  const client = await start(problem(429, 'rate_limited', RETRY_NOW));
  await expect(client.account.get({ maxRetries: 2 })).rejects.toBeInstanceOf(RateLimitedError);
  expect(server.seen).toHaveLength(3);
});

test('a stalled response is a timeout, a broken one a connection error', async () => {
  const client = await start(stall, reset);
  const once = { maxRetries: 0, timeoutMs: 300 };
  await expect(client.account.get(once)).rejects.toBeInstanceOf(RequestTimeoutError);
  await expect(client.account.get(once)).rejects.toBeInstanceOf(ConnectionError);
});

test('an aborted signal ends a request and its retries with its reason', async () => {
  const client = await start(stall, problem(503, 'unavailable', { 'retry-after': '50' }));
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('stop')), 100);
  await expect(client.account.get({ signal: controller.signal })).rejects.toThrow('stop');
  const later = new AbortController();
  setTimeout(() => later.abort(new Error('stop later')), 100);
  await expect(client.account.get({ signal: later.signal })).rejects.toThrow('stop later');
  expect(server.seen).toHaveLength(2);
});

test('a cancel whose response was lost returns the canceled generation', async () => {
  const client = await start(reset, problem(409, 'not_cancelable'), json(generation({ status: 'canceled' })));
  expect(await client.generations.cancel('g1')).toMatchObject({ status: 'canceled' });
  expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/generations/g1/cancel',
    'POST /v1/generations/g1/cancel',
    'GET /v1/generations/g1',
  ]);
});

test('a cancel of a running generation is refused', async () => {
  const client = await start(problem(409, 'not_cancelable'), json(generation({ status: 'processing' })));
  await expect(client.generations.cancel('g1')).rejects.toBeInstanceOf(NotCancelableError);
});

test('a list is its first page, and iterates over all pages', async () => {
  const pages = [
    json({ items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'n1' }),
    json({ items: [{ id: 'c' }], nextCursor: null }),
  ];
  const client = await start(...pages, ...pages);
  const ids: string[] = [];
  for await (const { id } of client.generations.list({ limit: 2, active: true })) ids.push(id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/v1/generations?limit=2&active=true',
    '/v1/generations?limit=2&active=true&cursor=n1',
  ]);
  const first = await client.generations.list();
  expect([first.items.length, first.hasNextPage(), first.next]).toEqual([2, true, 'n1']);
  const second = await first.getNextPage();
  expect([second.items.length, second.hasNextPage()]).toEqual([1, false]);
});

test('events end with the newest, and tell where to continue', async () => {
  const client = await start(json({ items: [{ id: 'e' }], nextAfter: 'p1', hasMore: false }));
  const page = await client.events.list({ after: 'p0' });
  expect([page.hasNextPage(), page.position]).toEqual([false, 'p1']);
  expect(server.seen[0]?.url).toBe('/v1/events?after=p0');
});

test('a chunk that arrived before is not sent again: the upload continues where the service is', async () => {
  const totalBytes = 9 * 1024 * 1024;
  const upload = (offset: number) => json({ id: 'u1', bytes: totalBytes, offset, chunkBytes: 8 * 1024 * 1024 });
  const refused: Reply = (request, response) => {
    const issues = [{ path: 'offset', message: 'must be another one' }];
    json({ title: 'Invalid params', status: 400, detail: 'Invalid chunk', code: 'invalid_params', issues }, 400)(
      request,
      response,
    );
  };
  const client = await start(upload(0), refused, upload(8 * 1024 * 1024), upload(totalBytes), json({ id: 'a1' }));
  expect(await client.uploads.create(new Blob([new Uint8Array(totalBytes)]))).toMatchObject({ id: 'a1' });
  expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /v1/uploads/resumable',
    'PUT /v1/uploads/resumable/u1?offset=0',
    'GET /v1/uploads/resumable/u1',
    'PUT /v1/uploads/resumable/u1?offset=8388608',
    'POST /v1/uploads/resumable/u1/complete',
  ]);
});

test('an offset that is refused where the service is ends the upload', async () => {
  const upload = json({ id: 'u1', bytes: 9 * 1024 * 1024, offset: 0, chunkBytes: 8 * 1024 * 1024 });
  const refused = json({ status: 400, code: 'invalid_params', issues: [{ path: 'offset', message: 'no' }] }, 400);
  const client = await start(upload, refused, upload);
  const sending = client.uploads.create(new Blob([new Uint8Array(9 * 1024 * 1024)]));
  await expect(sending).rejects.toThrow(InvalidParamsError);
  expect(server.seen).toHaveLength(3);
});

test('a redirect is an error, not a GET of another address', async () => {
  const client = await start((_request, response) => void response.writeHead(301, { location: '/other' }).end());
  await expect(client.generations.create(BODY)).rejects.toMatchObject({ code: 'http_301' });
  expect(server.seen).toHaveLength(1);
});

test.each(['../account', 'a/b', '', '..', 'a?b'])('%j is not sent as an id', async (id) => {
  const client = await start(json({}));
  await expect(async () => client.generations.get(id)).rejects.toThrow(AtelierError);
  await expect(async () => client.assets.get(id)).rejects.toThrow(AtelierError);
  expect(server.seen).toHaveLength(0);
});

test('address and key come from the environment', async () => {
  server = await startScriptedServer(json({ models: [] }));
  vi.stubEnv('ATELIER_BASE_URL', server.url);
  vi.stubEnv('ATELIER_API_KEY', 'from the environment');
  expect(await new Atelier().models.list({ modality: 'image' })).toEqual([]);
  expect(server.seen[0]).toMatchObject({
    url: '/v1/models?modality=image',
    headers: { authorization: 'Bearer from the environment' },
  });
  vi.stubEnv('ATELIER_BASE_URL', '');
  expect(() => new Atelier()).toThrow('ATELIER_BASE_URL');
});

test('a key is refused in a browser', () => {
  vi.stubGlobal('document', {});
  expect(() => new Atelier({ baseUrl: '/', apiKey: 'key' })).toThrow('browser');
  expect(new Atelier({ baseUrl: '/' }).baseUrl).toBe('');
  expect(new Atelier({ baseUrl: '/', apiKey: 'key', dangerouslyAllowBrowser: true })).toBeInstanceOf(Atelier);
});

test('the key does not appear in the printed client or in errors', async () => {
  const client = await start(problem(401, 'invalid_api_key'));
  const error = await client.account.get().catch((caught) => caught);
  const { inspect } = await import('node:util');
  expect(inspect(client, { depth: 9 }) + inspect(error, { depth: 9 })).not.toContain('Bearer');
});
