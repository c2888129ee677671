import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createTestClient } from '../mcp/testing/create-test-client.ts';
import { PROGRAM_RATE_LIMIT } from './bind-authorization.ts';
import { createTestConsole, ORIGIN, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
const CALLBACK = 'http://127.0.0.1:33418/callback';

let console_: TestConsole;
let accountId: string;
let owner: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  accountId = pair.testAccountId;
  owner = await console_.addMember(pair.ownerId, 'owner');
});
// The last use of a key is recorded after the response.
afterEach(() => expect.poll(() => database.db.pool.totalCount - database.db.pool.idleCount).toBe(0));
afterAll(() => console_.close());

/** A program without a session of the console: it sends no cookie and no header of its pages. */
const register = (body: object) =>
  console_.app.inject({
    method: 'POST',
    url: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
const exchange = (fields: Record<string, string>) =>
  console_.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });

interface Access {
  readonly clientId: string;
  readonly verifier: string;
  readonly callback: URL;
}

/** Registers a program and consents as the owner. */
async function consent(change: { scopes?: string[]; monthlySpendCapCoins?: number | null } = {}): Promise<Access> {
  const { client_id: clientId } = (await register({ client_name: 'Desk agent', redirect_uris: [CALLBACK] })).json();
  const verifier = randomBytes(32).toString('base64url');
  const answer = await console_.call(`POST /api/accounts/${accountId}/authorizations`, {
    cookie: owner.cookie,
    json: {
      clientId,
      redirectUri: CALLBACK,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      state: 'a b',
      scopes: ['generate', 'read'],
      monthlySpendCapCoins: 20,
      ...change,
    },
  });
  expect(answer.statusCode, answer.payload).toBe(201);
  return { clientId, verifier, callback: new URL(answer.json().redirectTo) };
}

const fieldsOf = ({ clientId, verifier, callback }: Access) => ({
  grant_type: 'authorization_code',
  code: callback.searchParams.get('code') as string,
  client_id: clientId,
  redirect_uri: CALLBACK,
  code_verifier: verifier,
});

async function listKeys() {
  const answer = await console_.call(`GET /api/accounts/${accountId}/keys`, { cookie: owner.cookie });
  return answer.json().items as Array<Record<string, unknown>>;
}

test('the metadata names every step', async () => {
  const answer = await console_.app.inject('/.well-known/oauth-authorization-server');
  expect(answer.json()).toMatchObject({
    issuer: ORIGIN,
    authorization_endpoint: `${ORIGIN}/authorize`,
    token_endpoint: `${ORIGIN}/oauth/token`,
    registration_endpoint: `${ORIGIN}/oauth/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
});

test('a program that knows only the address gets a key with the scopes and the cap that the person chose', async () => {
  const access = await consent();
  expect(access.callback.searchParams.get('state')).toBe('a b');
  expect(access.callback.searchParams.get('iss')).toBe(ORIGIN);
  const answer = await exchange(fieldsOf(access));
  expect(answer.statusCode, answer.payload).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  const { access_token: key, ...rest } = answer.json();
  expect(rest).toEqual({ token_type: 'Bearer', expires_in: 90 * 24 * 3600, scope: 'generate read' });
  const client = await createTestClient({ app: console_.publicApp, key, version: '2026-07-28' }).connect();
  const { tools } = (await client.send('tools/list')).result;
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain('upload');
  expect(await listKeys()).toContainEqual(
    expect.objectContaining({ name: 'Desk agent', scopes: ['generate', 'read'], monthlySpendCapCoins: 20 }),
  );
});

test('the page learns what the program calls itself and where the access goes', async () => {
  const { clientId } = await consent();
  const query = new URLSearchParams({ clientId, redirectUri: CALLBACK });
  const answer = await console_.call(`GET /api/programs?${query}`, { cookie: owner.cookie });
  expect(answer.json()).toEqual({ name: 'Desk agent', destination: '127.0.0.1' });
});

describe('a code', () => {
  test('works once: a second exchange revokes the key of the first', async () => {
    const access = await consent();
    const { access_token: key } = (await exchange(fieldsOf(access))).json();
    const again = await exchange(fieldsOf(access));
    expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant']);
    const answer = await console_.publicApp.inject({
      method: 'GET',
      url: '/v1/account',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.json().code).toBe('api_key_revoked');
  });

  test.each([
    ['another secret', { code_verifier: 'x'.repeat(43) }],
    ['another program', { client_id: 'p1.a.b.c' }],
    ['another address', { redirect_uri: 'http://127.0.0.1:33419/callback' }],
    ['a changed code', { code: 's1.a.b' }],
  ])('with %s is refused, and creates no key', async (_name, change) => {
    const access = await consent();
    const before = (await listKeys()).length;
    const answer = await exchange({ ...fieldsOf(access), ...change });
    expect([answer.statusCode, answer.json().error]).toEqual([400, 'invalid_grant']);
    expect((await listKeys()).length).toBe(before);
    expect((await exchange(fieldsOf(access))).statusCode).toBe(200);
  });

  test('expires after five minutes', async () => {
    const access = await consent();
    console_.services.state.offsetMs = 5 * 60_000;
    try {
      expect((await exchange(fieldsOf(access))).json().error).toBe('invalid_grant');
    } finally {
      console_.services.state.offsetMs = 0;
    }
  });

  test.each([
    ['no field', {}, 'invalid_request'],
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no code', { grant_type: 'authorization_code' }, 'invalid_request'],
  ])('is asked for with %s: %s', async (_name, fields, error) => {
    expect((await exchange(fields as Record<string, string>)).json().error).toBe(error);
  });
});

test.each([
  ['no address', {}, 'invalid_client_metadata'],
  ['an address in the clear', { redirect_uris: ['http://agent.example/'] }, 'invalid_redirect_uri'],
  ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
  ['a name that is no text', { client_name: 1, redirect_uris: [CALLBACK] }, 'invalid_client_metadata'],
])('a program with %s cannot register', async (_name, body, error) => {
  const answer = await register(body);
  expect([answer.statusCode, answer.json().error]).toEqual([400, error]);
});

test('a person cannot consent for a program at an address that it did not register', async () => {
  const { clientId } = await consent();
  const answer = await console_.call(`POST /api/accounts/${accountId}/authorizations`, {
    cookie: owner.cookie,
    json: {
      clientId,
      redirectUri: 'https://evil.example/',
      codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      scopes: ['generate'],
      monthlySpendCapCoins: null,
    },
  });
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
});

test('an address that sends too many requests of programs is refused, and others are not', async () => {
  const from = (remoteAddress: string) =>
    console_.app.inject({ method: 'POST', url: '/oauth/register', remoteAddress, payload: {} });
  for (let sent = 0; sent < PROGRAM_RATE_LIMIT; sent += 1) expect((await from('192.0.2.7')).statusCode).toBe(400);
  const refused = await from('192.0.2.7');
  expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await from('192.0.2.8')).statusCode).toBe(400);
});
