import { sessionPath } from '@atelier/contract/console';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createTestConsole, send, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

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
const createKey = (json: unknown = newKey) => console_.call(`POST ${keysPath()}`, { cookie: owner.cookie, json });

describe('secrets', () => {
  test('a key and a signing secret are in the response that creates them and in no other', async () => {
    const created = await createKey({ ...newKey, name: 'secret' });
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

  test('a signing secret cannot be guessed piece by piece, nor with an old sign-in', async () => {
    const pair = await console_.addPair();
    const developer = await console_.addMember(pair.ownerId, 'developer');
    const base = `/api/accounts/${pair.accountId}/webhooks`;
    const call = (operation: string, json: unknown) => console_.call(operation, { cookie: developer.cookie, json });
    const endpoint = { url: 'http://127.0.0.1:9/hook', events: ['generation.succeeded'] };
    const made = (await call(`POST ${base}`, endpoint)).json() as { endpoint: { id: string }; secret: string };
    const own = `${base}/${made.endpoint.id}`;
    const guess = (secret: string) => ({ header: 'none', body: '{}', secret });
    const answerTo = async (secret: string) => {
      const answer = await call(`POST ${own}/explain-signature`, guess(secret));
      expect(answer.statusCode).toBe(200);
      return answer.payload;
    };
    for (let length = 1; length < made.secret.length; length += 1) {
      const right = made.secret.slice(0, length);
      const last = right.at(-1) === 'a' ? 'b' : 'a';
      // Of the fixed start, every character is known.
      if (length > 'whsec_'.length) expect(await answerTo(right)).toBe(await answerTo(right.slice(0, -1) + last));
    }
    expect(await answerTo(made.secret)).not.toBe(await answerTo(made.secret.replace(/.$/, '!')));
    developer.signIn(16);
    for (const [operation, json] of [
      [`POST ${base}`, endpoint],
      [`PATCH ${own}`, endpoint],
      [`POST ${own}/explain-signature`, guess('whsec_x')],
      [`POST ${own}/rotate-secret`, undefined],
    ] as const) {
      expect((await call(operation, json)).json(), operation).toMatchObject({ code: 'reauthentication_required' });
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
    const first = await make('first', { monthlySpendCapCoins: 50, requestCapCoins: 9, expiresAt });
    expect(first).toMatchObject({
      name: 'first',
      mode: 'test',
      scopes: ['read'],
      monthlySpendCapCoins: 50,
      requestCapCoins: 9,
      spentThisMonthCoins: 0,
      status: 'active',
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    const second = await make('second');
    const change = {
      name: ' renamed ',
      scopes: ['generate', 'read'],
      monthlySpendCapCoins: null,
      requestCapCoins: 12,
      expiresAt: null,
    };
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

  test('an account has at most 500 usable keys', async () => {
    const pair = await console_.addPair();
    const { cookie } = await console_.addMember(pair.ownerId, 'owner');
    await database.owner.pool.query(
      `INSERT INTO api_key (id, account_id, name, hash, prefix, last4, scopes, revoked_at)
       SELECT gen_random_uuid(), $1::uuid, 'many', sha256((n || $1::uuid::text)::bytea), 'p', 'l', '{read}', CASE WHEN n > 500 THEN now() END
       FROM generate_series(1, 600) n`,
      [pair.accountId],
    );
    const path = `/api/accounts/${pair.accountId}/keys`;
    const refused = await console_.call(`POST ${path}`, { cookie, json: newKey });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_params']);
    const { items } = (await console_.call(`GET ${path}`, { cookie })).json();
    expect(items).toHaveLength(500);
    expect(items.every((key: { status: string }) => key.status === 'active')).toBe(true);
    await console_.call(`POST ${path}/${items[0].id}/revoke`, { cookie });
    expect((await console_.call(`POST ${path}`, { cookie, json: newKey })).statusCode).toBe(201);
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
    const answer = await createKey(json);
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
  const created = await createKey({ ...newKey, name });
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
