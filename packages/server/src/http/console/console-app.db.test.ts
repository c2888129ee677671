import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { operations } from '@atelier/contract';
import { consoleOperations, sessionPath } from '@atelier/contract/console';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { AUTHORIZATION_PATHS } from './bind-authorization.ts';
import {
  CDN,
  createTestConsole,
  ORIGIN,
  send,
  type TestConsole,
  type TestPerson,
} from './testing/create-test-console.ts';

const database = await openTestDatabase();
let console_: TestConsole;
let accountId: string;
let owner: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  accountId = pair.accountId;
  owner = await console_.addMember(pair.ownerId, 'owner');
});
afterAll(() => console_.close());

const keysPath = () => `/api/accounts/${accountId}/keys`;
const newKey = { name: 'server', scopes: ['read', 'account'] };
const createKey = (headers: Record<string, string | null> = {}) =>
  console_.call(`POST ${keysPath()}`, { cookie: owner.cookie, json: newKey, headers });

describe('cross-site requests', () => {
  const CROSS_SITE = { status: 403, code: 'cross_site_request' };
  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }, CROSS_SITE],
    ['of another host of the same site', { 'sec-fetch-site': 'same-site' }, CROSS_SITE],
    ['typed by the user', { 'sec-fetch-site': 'none' }, CROSS_SITE],
    [
      'of another origin, without fetch metadata',
      { 'sec-fetch-site': null, origin: 'https://evil.example' },
      CROSS_SITE,
    ],
    ['of another origin, with fetch metadata', { origin: 'https://evil.example' }, CROSS_SITE],
    ['of an opaque origin', { 'sec-fetch-site': null, origin: 'null' }, CROSS_SITE],
    ['with another scheme', { 'sec-fetch-site': null, origin: ORIGIN.replace('https', 'http') }, CROSS_SITE],
    ['without fetch metadata and origin', { 'sec-fetch-site': null, origin: null }, CROSS_SITE],
    ['without the header of the console', { 'x-atelier-console': null }, CROSS_SITE],
    ['with another value of that header', { 'x-atelier-console': '0' }, CROSS_SITE],
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }, { status: 400, code: 'invalid_params' }],
    ['of plain text', { 'content-type': 'text/plain' }, { status: 400, code: 'invalid_params' }],
    ['of a type that begins alike', { 'content-type': 'application/jsonp' }, { status: 400, code: 'invalid_params' }],
    ['without a type', { 'content-type': null }, { status: 400, code: 'invalid_params' }],
  ])('a change %s is refused', async (_name, headers, { status, code }) => {
    const before = await countKeys();
    const answer = await createKey(headers);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(await countKeys()).toBe(before);
  });

  test.each([
    ['fetch metadata alone', { origin: null }],
    ['the origin alone', { 'sec-fetch-site': null }],
    ['a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ])('a change with %s is accepted', async (_name, headers) => {
    expect((await createKey(headers)).statusCode).toBe(201);
  });

  test('uploads and submits by session are refused alike, and a preflight is never answered', async () => {
    for (const row of Object.values(operations)) {
      if (row.method === 'GET') continue;
      const url = sessionPath(row.path, accountId).replace('{id}', accountId);
      const headers = { 'sec-fetch-site': 'cross-site' };
      const answer = await console_.call(`${row.method} ${url}`, { cookie: owner.cookie, json: {}, headers });
      expect([answer.statusCode, answer.json().code], row.path).toEqual([403, 'cross_site_request']);
    }
    const preflight = await console_.call(`OPTIONS ${keysPath()}`, {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.statusCode).toBe(405);
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('sign-in is protected too', async () => {
    const post = (headers: Record<string, string | null>) =>
      console_.call('POST /api/auth/sign-in/email', { json: { a: 1 }, headers });
    expect((await post({})).statusCode).toBe(202);
    expect((await post({ 'sec-fetch-site': 'cross-site' })).json().code).toBe('cross_site_request');
    expect((await post({ 'x-atelier-console': null })).json().code).toBe('cross_site_request');
    expect((await post({ 'content-type': 'text/plain' })).json().code).toBe('invalid_params');
  });

  async function countKeys(): Promise<number> {
    return (await console_.call(`GET ${keysPath()}`, { cookie: owner.cookie })).json().items.length;
  }
});

test('sign-in gets the request of the console with its body and the address, and its cookies arrive', async () => {
  const answer = await console_.call('POST /api/auth/sign-in/email?x=1', { body: '{ "a":1}' });
  expect(answer.json()).toEqual({
    url: `${ORIGIN}/api/auth/sign-in/email?x=1`,
    body: '{ "a":1}',
    address: '127.0.0.1',
  });
  expect(answer.headers['set-cookie']).toEqual(['a=1; HttpOnly', 'b=2; HttpOnly']);
  expect(answer.headers['cache-control']).toBe('no-store');
  const large = await console_.call('POST /api/auth/sign-in/email', { body: 'x'.repeat(70_000) });
  expect(large.json().code).toBe('input_too_large');
});

test('an API key is no session', async () => {
  const { secret } = (await createKey()).json();
  const authorization = `Bearer ${secret}`;
  for (const path of ['/api/session', keysPath(), sessionPath('/v1/account', accountId)]) {
    const answer = await console_.call(`GET ${path}`, { headers: { authorization } });
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'sign_in_required']);
  }
});

describe('response headers', () => {
  const POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${CDN}; img-src 'self' ${CDN}; media-src ${CDN}; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;
  const EXPECTED = {
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };

  test.each([
    ['an operation', 'GET /api/session', 200, true],
    ['a refusal', 'GET /api/session', 401, false],
    ['an operation of the public API', 'GET /v1/account', 200, true],
    ['a stream', 'HEAD /v1/events/stream', 200, true],
    ['sign-in', 'GET /api/auth/get-session', 202, false],
    ['an unknown path', 'GET /api/nothing', 404, false],
    ['an unknown path with another method', 'POST /nothing', 404, false],
    ['a wrong method', 'DELETE /api/session', 405, false],
    ['a path that is no URI', 'GET /%zz', 400, false],
    ['a page', 'GET /keys', 503, false],
    ['a missing file', 'GET /assets/none.js', 404, false],
    ['health', 'GET /healthz', 200, false],
  ])('%s', async (_name, operation, status, signedIn) => {
    const full = operation.replace(' /v1', ` ${sessionPath('/v1', accountId)}`);
    const answer = await console_.call(full, signedIn ? { cookie: owner.cookie } : {});
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject(EXPECTED);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('a request that is not HTTP', async () => {
    const address = new URL(await console_.app.listen({ host: '127.0.0.1', port: 0 }));
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(address.port), address.hostname, () => socket.write('NOT HTTP\r\n\r\n'));
      let seen = '';
      socket.on('data', (bytes) => {
        seen += bytes;
      });
      socket.on('close', () => resolve(seen));
    });
    for (const [name, value] of Object.entries(EXPECTED))
      expect(text.toLowerCase()).toContain(`${name}: ${value}`.toLowerCase());
  });
});

describe('pages', () => {
  test('without a build, a page says what to do', async () => {
    const answer = await console_.call('GET /keys');
    expect(answer.statusCode).toBe(503);
    expect(answer.payload).toContain('npm run console:build');
  });

  test('page paths get the document, which is not stored; hashed files are stored for ever', async () => {
    await mkdir(join(console_.pagesDir, 'assets'), { recursive: true });
    await writeFile(join(console_.pagesDir, 'index.html'), '<!doctype html><title>Console</title>');
    await writeFile(join(console_.pagesDir, 'favicon.svg'), '<svg/>');
    await writeFile(join(console_.pagesDir, 'assets/main-a1b2c3.js'), 'export {};');
    for (const path of ['/', '/keys', `/webhooks/${accountId}`, '/sign-in?next=%2Fkeys']) {
      const page = await console_.call(`GET ${path}`);
      expect([page.statusCode, page.headers['cache-control']], path).toEqual([200, 'no-store']);
      expect(page.headers['content-type']).toMatch(/^text\/html/);
      expect(page.payload).toContain('<title>Console');
    }
    const script = await console_.call('GET /assets/main-a1b2c3.js');
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['content-type']).toMatch(/javascript/);
    expect((await console_.call('GET /favicon.svg')).headers['cache-control']).toBe('no-cache');
    for (const path of [
      '/assets/old-000000.js',
      '/missing.svg',
      '/../package.json',
      '/%2e%2e/x.json',
      '/.env',
      '/v1/models',
      '/api',
    ]) {
      const answer = await console_.call(`GET ${path}`);
      expect([answer.statusCode, answer.json().code], path).toEqual([404, 'not_found']);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });
});

test('the thumbnails of effects come from the console itself', async () => {
  await writeFile(join(console_.thumbnailDir, 'vhs.webp'), 'picture');
  const picture = await console_.call('GET /effects/vhs.webp');
  expect([picture.statusCode, picture.headers['content-type'], picture.payload]).toEqual([
    200,
    'image/webp',
    'picture',
  ]);
  for (const path of ['/effects/none.webp', '/effects/..%2fvhs.webp', '/effects/vhs.png']) {
    expect((await console_.call(`GET ${path}`)).statusCode, path).toBe(404);
  }
  const { effects } = (
    await console_.call(`GET ${sessionPath('/v1/effects', accountId)}`, { cookie: owner.cookie })
  ).json();
  const shown = effects.flatMap(({ thumbnail }: { thumbnail: string | null }) =>
    thumbnail === null ? [] : [thumbnail],
  );
  expect(shown.every((url: string) => url.startsWith(`${ORIGIN}/effects/`))).toBe(true);
});

describe('route inventory', () => {
  /** Every route of the tree that Fastify prints, as 'METHOD /path'. */
  const routesOf = (app: FastifyInstance): string[] => {
    const parents: string[] = [];
    return app
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const found = /^([│ ]*)[├└]── (\S+) \(([^)]+)\)$/.exec(line);
        if (found === null) return [];
        const [, indent = '', part = '', methods = ''] = found;
        const depth = indent.length / 4;
        parents[depth] = part;
        const path = parents.slice(0, depth + 1).join('');
        return methods.split(', ').map((method) => `${method} ${path}`);
      });
  };
  const has = (app: FastifyInstance, { method, path }: { method: string; path: string }) =>
    app.hasRoute({ method: method as HTTPMethods, url: path.replaceAll(/\{(\w+)\}/g, ':$1') });

  test('no operation of the console is on the public listener', async () => {
    for (const row of Object.values(consoleOperations)) {
      expect(has(console_.app, row), row.path).toBe(true);
      expect(has(console_.publicApp, row), row.path).toBe(false);
    }
    for (const path of [
      '/api/session',
      keysPath(),
      '/api/auth/sign-in/email',
      sessionPath('/v1/account', accountId),
      '/keys',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await send(console_.publicApp, `${method} ${path}`, { cookie: owner.cookie, json: {} });
        expect([answer.statusCode, answer.json().code], path).toEqual([404, 'not_found']);
      }
    }
  });

  test('the public API is on the console only below an account, and nothing else is bound', async () => {
    for (const row of Object.values(operations)) {
      expect(has(console_.app, { ...row, path: sessionPath(row.path) }), row.path).toBe(true);
      expect(has(console_.app, row), row.path).toBe(false);
      const answer = await console_.call(`${row.method} ${row.path}`, { cookie: owner.cookie, json: {} });
      expect(answer.statusCode).toBe(404);
    }
    expect(has(console_.app, { method: 'POST', path: '/callbacks/{token}' })).toBe(false);
    const bound = [
      ...Object.values(consoleOperations),
      ...Object.values(operations).map(({ method, path }) => ({ method, path: sessionPath(path) })),
      ...['/healthz', '/readyz', '/effects/{file}', '*'].map((path) => ({ method: 'GET', path })),
      ...AUTHORIZATION_PATHS,
    ].flatMap(({ method, path }) => {
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
      return method === 'GET' ? [`GET ${route}`, `HEAD ${route}`] : [`${method} ${route}`];
    });
    // The tree shows one of the two wildcards; the other is sign-in.
    expect(routesOf(console_.app).toSorted()).toEqual(bound.toSorted());
    expect(has(console_.app, { method: 'POST', path: '/api/auth/*' })).toBe(true);
  });
});
