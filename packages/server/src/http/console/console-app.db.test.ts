import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { operations } from '@atelier/contract';
import { consoleOperations, sessionPath } from '@atelier/contract/console';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
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
const createKey = (headers: Record<string, string | null> = {}, json: unknown = newKey) =>
  console_.call(`POST ${keysPath()}`, { cookie: owner.cookie, json, headers });

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
  const POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' ${CDN}; media-src ${CDN}; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'`;
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
      ...['/healthz', '/readyz', '*'].map((path) => ({ method: 'GET', path })),
    ].flatMap(({ method, path }) => {
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
      return method === 'GET' ? [`GET ${route}`, `HEAD ${route}`] : [`${method} ${route}`];
    });
    // The tree shows one of the two wildcards; the other is sign-in.
    expect(routesOf(console_.app).toSorted()).toEqual(bound.toSorted());
    expect(has(console_.app, { method: 'POST', path: '/api/auth/*' })).toBe(true);
  });
});

describe('secrets', () => {
  test('a key and a signing secret are in the response that creates them and in no other', async () => {
    const created = await createKey({}, { ...newKey, name: 'secret' });
    const { key, secret } = created.json() as { key: { id: string; prefix: string; last4: string }; secret: string };
    expect(secret.startsWith(key.prefix) && secret.endsWith(key.last4)).toBe(true);
    const base = `/api/accounts/${accountId}/webhooks`;
    const made = await console_.call(`POST ${base}`, {
      cookie: owner.cookie,
      json: { url: 'http://127.0.0.1:9/hook', events: ['generation.succeeded'] },
    });
    const first = made.json() as { endpoint: { id: string }; secret: string };
    const endpoint = `${base}/${first.endpoint.id}`;
    const rotated = await console_.call(`POST ${endpoint}/rotate-secret`, { cookie: owner.cookie });
    const second = rotated.json() as { secret: string };
    expect(second.secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(second.secret).not.toBe(first.secret);
    const others = [
      `GET ${keysPath()}`,
      `PATCH ${keysPath()}/${key.id}`,
      `GET ${base}`,
      `GET ${endpoint}`,
      `PATCH ${endpoint}`,
      `POST ${endpoint}/pause`,
      `POST ${endpoint}/resume`,
      `POST ${endpoint}/test`,
      `GET ${endpoint}/deliveries`,
      `POST ${endpoint}/explain-signature`,
      `GET ${sessionPath('/v1/account', accountId)}`,
      'GET /api/session',
      `POST ${keysPath()}/${key.id}/revoke`,
    ];
    const bodies: Record<string, unknown> = {
      [others[1] as string]: { name: 'renamed' },
      [others[4] as string]: { events: ['generation.failed'] },
      [others[7] as string]: { type: 'generation.failed' },
      [others[9] as string]: { header: 't=1,v1=00', body: '{}' },
    };
    for (const operation of others) {
      const answer = await console_.call(operation, { cookie: owner.cookie, json: bodies[operation] });
      expect(answer.statusCode, operation).toBeLessThan(300);
      expect(answer.payload).not.toContain(secret.slice(key.prefix.length, -4));
      expect(answer.payload).not.toContain(first.secret);
      expect(answer.payload).not.toContain(second.secret);
      expect(answer.payload).not.toContain('whsec_');
    }
  });

  test('a revoked key stops within one second', async () => {
    const { key, secret } = (await createKey()).json() as { key: { id: string }; secret: string };
    const read = () => send(console_.publicApp, 'GET /v1/account', { headers: { authorization: `Bearer ${secret}` } });
    expect((await read()).statusCode).toBe(200);
    const revoked = await console_.call(`POST ${keysPath()}/${key.id}/revoke`, { cookie: owner.cookie });
    expect(revoked.json()).toMatchObject({ id: key.id, status: 'revoked' });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await read()).json().code).toBe('api_key_revoked');
  });
});

describe('keys', () => {
  test('are created with all settings, changed and listed, usable ones first', async () => {
    const pair = await console_.addPair();
    const { cookie } = await console_.addMember(pair.ownerId, 'developer');
    const base = `/api/accounts/${pair.testAccountId}/keys`;
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString();
    const make = async (name: string, more = {}) =>
      (await console_.call(`POST ${base}`, { cookie, json: { name, scopes: ['read'], ...more } })).json().key;
    const first = await make('first', { monthlySpendCapCoins: 50, expiresAt });
    expect(first).toMatchObject({
      name: 'first',
      mode: 'test',
      scopes: ['read'],
      monthlySpendCapCoins: 50,
      spentThisMonthCoins: 0,
      status: 'active',
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    const second = await make('second');
    const change = { name: ' renamed ', scopes: ['generate', 'read'], monthlySpendCapCoins: null, expiresAt: null };
    const changed = await console_.call(`PATCH ${base}/${first.id}`, { cookie, json: change });
    expect(changed.json()).toMatchObject({ ...change, name: 'renamed' });
    await console_.call(`POST ${base}/${second.id}/revoke`, { cookie });
    const { items } = (await console_.call(`GET ${base}`, { cookie })).json();
    expect(items.map((key: { name: string; status: string }) => `${key.name} ${key.status}`)).toEqual([
      'renamed active',
      'second revoked',
    ]);
    const refused = await console_.call(`PATCH ${base}/${second.id}`, { cookie, json: { name: 'again' } });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_params']);
    const audit = await database.owner.pool.query(
      'SELECT DISTINCT split_part(actor, $2, 1) AS actor FROM audit_log WHERE account_id = $1 AND action LIKE $3',
      [pair.testAccountId, ' ', 'key.%'],
    );
    expect(audit.rows).toEqual([{ actor: 'person' }]);
  });

  test('of one account are not reachable through another, also for a member of both', async () => {
    const { key } = (await createKey()).json();
    const other = await console_.addPair();
    await database.owner.pool.query('INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, $3)', [
      owner.personId,
      other.ownerId,
      'owner',
    ]);
    for (const operation of [`PATCH /${key.id}`, `POST /${key.id}/revoke`]) {
      const full = operation.replace(' ', ` /api/accounts/${other.accountId}/keys`);
      const answer = await console_.call(full, {
        cookie: owner.cookie,
        ...(operation.startsWith('PATCH') ? { json: { name: 'x' } } : {}),
      });
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
    }
  });

  test.each([
    ['an unknown field', { ...newKey, rateLimit: 5 }, 'rateLimit'],
    ['no scope', { ...newKey, scopes: [] }, 'scopes'],
    ['an unknown scope', { ...newKey, scopes: ['admin'] }, 'scopes.0'],
    ['a scope twice', { ...newKey, scopes: ['read', 'read'] }, 'scopes'],
    ['an empty name', { ...newKey, name: '  ' }, 'name'],
    ['a cap of zero', { ...newKey, monthlySpendCapCoins: 0 }, 'monthlySpendCapCoins'],
    ['an expiry in the past', { ...newKey, expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry that is no time', { ...newKey, expiresAt: 'soon' }, 'expiresAt'],
  ])('with %s are refused', async (_name, json, path) => {
    const answer = await createKey({}, json);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_params']);
    expect(answer.json().issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  test('a body where none is expected, and an unknown query parameter, are refused', async () => {
    const { key } = (await createKey()).json();
    const body = await console_.call(`POST ${keysPath()}/${key.id}/revoke`, {
      cookie: owner.cookie,
      json: { force: true },
    });
    expect([body.statusCode, body.json().code]).toEqual([400, 'invalid_params']);
    const query = await console_.call(`GET ${keysPath()}?all=true`, { cookie: owner.cookie });
    expect([query.statusCode, query.json().code]).toEqual([400, 'invalid_params']);
  });
});

test('a stored script comes back as JSON data only', async () => {
  const name = '<script>alert(1)</script><img src=x onerror=alert(1)>';
  const created = await createKey({}, { ...newKey, name });
  const listed = await console_.call(`GET ${keysPath()}`, { cookie: owner.cookie });
  for (const answer of [created, listed]) {
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  }
  expect(listed.json().items.map((key: { name: string }) => key.name)).toContain(name);
  const refused = await console_.call(`POST /api/accounts/${accountId}/webhooks`, {
    cookie: owner.cookie,
    json: { url: name, events: ['generation.succeeded'] },
  });
  expect(refused.headers['content-type']).toMatch(/^application\/problem\+json/);
});

test('the session names the person, their accounts, and until when it is fresh', async () => {
  owner.signIn(5);
  const answer = await console_.call('GET /api/session', { cookie: owner.cookie });
  const session = answer.json();
  expect(session).toMatchObject({
    person: { id: owner.personId, name: 'Ada' },
    memberships: expect.arrayContaining([expect.objectContaining({ role: 'owner', name: 'Ada' })]),
    apiUrl: 'http://127.0.0.1:8080',
  });
  expect(session.memberships[0].accountIds.live).toBe(accountId);
  expect(Date.parse(session.freshUntil) - Date.parse(session.signedInAt)).toBe(15 * 60_000);
  owner.signOut();
  expect((await console_.call('GET /api/session', { cookie: owner.cookie })).statusCode).toBe(401);
  owner.signIn(0);
});
