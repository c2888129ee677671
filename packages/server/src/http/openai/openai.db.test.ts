import { randomUUID } from 'node:crypto';
import { SCOPES, type Scope } from '@atelier/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { createMoneyPath, type PathAccount, type PathEnd } from '../../domain/generations/testing/create-money-path.ts';
import { withTx } from '../../platform/db.ts';
import { createTestConsole, type TestConsole } from '../console/testing/create-test-console.ts';

const database = await openTestDatabase();
const path = createMoneyPath(database);
let console_: TestConsole;
/** The same, with requests that wait for a second only. */
let hasty: TestConsole;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  hasty = await createTestConsole(database, { openaiWaitSeconds: 1 });
});
afterAll(async () => {
  await console_.close();
  await hasty.close();
});

interface Client extends PathAccount {
  readonly key: string;
}

async function makeClient(options: { scopes?: readonly Scope[]; requestCap?: number | null } = {}): Promise<Client> {
  const account = await path.makeAccount({ coins: 1_000 });
  const { id, key } = await withTx(database.db, (tx) =>
    createApiKey(tx, 'c1', {
      accountId: account.accountId,
      name: 'openai',
      scopes: options.scopes ?? SCOPES,
      requestCap: options.requestCap === undefined ? 50 : options.requestCap,
    }),
  );
  return { accountId: account.accountId, keyId: id, key };
}

const URL_BODY = { model: 'canvas', prompt: 'a lighthouse', response_format: 'url' };

/** Sends a request as the official clients do; `retry` is the count of their retries, null for other clients. */
async function send(
  client: Client,
  options: {
    body?: object;
    retry?: number | null;
    headers?: Record<string, string>;
    at?: TestConsole;
    path?: string;
    method?: 'GET' | 'POST';
  } = {},
) {
  const { body = URL_BODY, retry = 0, headers = {}, at = console_, method = 'POST' } = options;
  const answer = await at.publicApp.inject({
    method,
    url: `/openai/v1${options.path ?? '/images/generations'}`,
    headers: {
      authorization: `Bearer ${client.key}`,
      ...(retry === null ? {} : { 'x-stainless-retry-count': String(retry) }),
      ...headers,
    },
    ...(method === 'GET' ? {} : { payload: body }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}

const openOf = (client: Client) =>
  path.read<{ id: string }>(
    `SELECT id FROM generation WHERE account_id = $1 AND status = 'queued' AND admitted ORDER BY created_at`,
    [client.accountId],
  );

/** Ends the next generation of the account, as a worker does. */
async function work(client: Client, end: PathEnd = {}): Promise<string> {
  const id = await vi.waitFor(
    async () => {
      const [found] = await openOf(client);
      if (found === undefined) throw new Error('no generation was submitted');
      return found.id;
    },
    { timeout: 30_000 },
  );
  await path.finish(id, end);
  return id;
}

const countOf = async (client: Client) =>
  (await path.read('SELECT id FROM generation WHERE account_id = $1', [client.accountId])).length;

describe('an image', () => {
  test('is made, charged and returned as links', async () => {
    const client = await makeClient();
    const [answer, id] = await Promise.all([
      send(client, { body: { ...URL_BODY, n: 2, user: 'u', quality: null } }),
      work(client, { outputs: 2 }),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers['x-generation-id']).toBe(id);
    expect(answer.body).toEqual({
      created: expect.any(Number),
      data: [{ url: expect.stringContaining('http') }, { url: expect.stringContaining('http') }],
    });
    expect(await path.coinsOf(client)).toEqual({ available: 986, held: 0 });
  });

  test('above the ceiling is refused, and the client is told not to retry', async () => {
    const client = await makeClient();
    const answer = await send(client, { headers: { 'x-max-coins': '6' } });
    expect([answer.status, answer.headers['x-should-retry']]).toEqual([409, 'false']);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code: 'max_coins_exceeded' });
    expect(await countOf(client)).toBe(0);
  });

  test('without a ceiling is refused with what to do, before the body is read', async () => {
    const client = await makeClient({ requestCap: null });
    const refused = await send(client, { body: { nonsense: true } });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'max_coins_required']);
    const [answer] = await Promise.all([send(client, { headers: { 'x-max-coins': '7' } }), work(client)]);
    expect(answer.status).toBe(200);
  });

  test('that fails is an error, free, and the retry makes another one', async () => {
    const client = await makeClient();
    const [failed] = await Promise.all([send(client), work(client, { error: 'internal' })]);
    expect([failed.status, failed.headers['x-should-retry']]).toEqual([500, 'true']);
    expect(failed.body.error).toMatchObject({ type: 'server_error', code: 'internal' });
    expect(failed.body.error.message).toContain('Nothing was charged');
    const [answer] = await Promise.all([send(client, { retry: 1 }), work(client)]);
    expect(answer.status).toBe(200);
    expect(await path.coinsOf(client)).toEqual({ available: 993, held: 0 });
  });

  test('refused by the content policy is 400 moderation_blocked', async () => {
    const client = await makeClient();
    const [failed] = await Promise.all([send(client), work(client, { error: 'content_policy' })]);
    expect([failed.status, failed.body.error.code]).toEqual([400, 'moderation_blocked']);
  });
});

test('the cap that an owner sets on a key at the console is its ceiling', async () => {
  const { accountId, ownerId } = await console_.addPair();
  const { cookie } = await console_.addMember(ownerId, 'owner');
  const keys = `/api/accounts/${accountId}/keys`;
  const created = await console_.call(`POST ${keys}`, {
    cookie,
    json: { name: 'chat', scopes: ['generate', 'read'], requestCapCoins: 6 },
  });
  const { key, secret } = created.json() as { key: { id: string }; secret: string };
  const client = { accountId, keyId: key.id, key: secret };
  const capped = await send(client);
  expect([capped.status, capped.body.error.code]).toEqual([409, 'max_coins_exceeded']);
  await console_.call(`PATCH ${keys}/${key.id}`, { cookie, json: { requestCapCoins: null } });
  // A key is cached for less than a second.
  await vi.waitFor(
    async () => {
      const { status, body } = await send(client);
      expect([status, body.error.code]).toEqual([400, 'max_coins_required']);
      expect(body.error.message).toContain('X-Max-Coins');
    },
    { timeout: 30_000 },
  );
});

test('a model that needs consent gets it by a header, and is refused without', async () => {
  const client = await makeClient();
  const body = { ...URL_BODY, model: 'portrait' };
  const refused = await send(client, { body });
  expect([refused.status, refused.headers['x-should-retry']]).toEqual([400, 'false']);
  expect(refused.body.error).toMatchObject({
    code: 'consent_required',
    param: 'X-Consent',
    message: expect.stringContaining('Send the header X-Consent: true if everyone'),
  });
  const unclear = await send(client, { body, headers: { 'x-consent': 'yes' } });
  expect([unclear.status, unclear.body.error.param]).toEqual([400, 'X-Consent']);
  expect(await countOf(client)).toBe(0);
  const [answer] = await Promise.all([send(client, { body, headers: { 'x-consent': 'true' } }), work(client)]);
  expect(answer.status).toBe(200);
});

describe('a retry', () => {
  test('gets the image of its call and is charged once', async () => {
    const client = await makeClient();
    const [first, id] = await Promise.all([send(client), work(client)]);
    expect(first.status).toBe(200);
    for (const retry of [1, 2]) {
      const again = await send(client, { retry });
      expect([again.status, again.headers['x-generation-id']]).toEqual([200, id]);
    }
    expect([await countOf(client), await path.coinsOf(client)]).toEqual([1, { available: 993, held: 0 }]);
  });

  test('waits for a generation that takes longer than a request', async () => {
    const client = await makeClient();
    const running = await send(client, { at: hasty });
    expect([running.status, running.headers['x-should-retry']]).toEqual([503, 'true']);
    expect(running.body.error.code).toBe('generation_running');
    const [answer, id] = await Promise.all([send(client, { retry: 1 }), work(client)]);
    expect([answer.status, answer.headers['x-generation-id']]).toEqual([200, id]);
    expect(await countOf(client)).toBe(1);
  });

  test('that arrives with its first attempt shares the generation', async () => {
    const client = await makeClient();
    const [one, two] = await Promise.all([send(client, { retry: 1 }), send(client, { retry: 0 }), work(client)]);
    expect(one.headers['x-generation-id']).toBe(two.headers['x-generation-id']);
    expect(await countOf(client)).toBe(1);
  });

  test('of another program is a call of its own: identical first attempts are each charged', async () => {
    const client = await makeClient();
    await Promise.all([send(client), work(client)]);
    await Promise.all([send(client), work(client)]);
    expect(await countOf(client)).toBe(2);
  });
});

describe('a client that does not count its retries', () => {
  test('repeats an identical request for free', async () => {
    const client = await makeClient();
    const [first] = await Promise.all([send(client, { retry: null }), work(client)]);
    const again = await send(client, { retry: null });
    expect(again.headers['x-generation-id']).toBe(first.headers['x-generation-id']);
    expect(await countOf(client)).toBe(1);
  });

  test('makes another one with an Idempotency-Key of its own', async () => {
    const client = await makeClient();
    const keyed = () => ({ retry: null, headers: { 'idempotency-key': randomUUID() } });
    await Promise.all([send(client, keyed()), work(client)]);
    const second = keyed();
    await Promise.all([send(client, second), work(client)]);
    expect((await send(client, second)).status).toBe(200);
    expect(await countOf(client)).toBe(2);
    const conflict = await send(client, { ...second, body: { ...URL_BODY, prompt: 'other' } });
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict']);
  });
});

describe('refusals', () => {
  test.each([
    ['an unknown model', { ...URL_BODY, model: 'gpt-4' }, 404, 'model_not_found', null],
    ['no prompt', { model: 'canvas' }, 400, 'invalid_value', 'prompt'],
    ['too many images', { ...URL_BODY, n: 5 }, 400, 'invalid_value', 'n'],
    ['an unknown field', { ...URL_BODY, colour: 'red' }, 400, 'invalid_value', 'colour'],
    ['a field that the model cannot follow', { ...URL_BODY, quality: 'hd' }, 400, 'invalid_value', 'quality'],
    ['a stream', { ...URL_BODY, stream: true }, 400, 'invalid_value', 'stream'],
  ] as const)('%s', async (_name, body, status, code, param) => {
    const client = await makeClient();
    const answer = await send(client, { body });
    expect(answer).toMatchObject({ status, body: { error: { code, param, message: expect.any(String) } } });
    expect(await countOf(client)).toBe(0);
  });

  test('a wrong key, a missing scope, and an operation that does not exist', async () => {
    const client = await makeClient();
    const stranger = await send({ ...client, key: 'sk-unknown' });
    expect(stranger).toMatchObject({ status: 401, body: { error: { type: 'authentication_error' } } });
    const reader = await makeClient({ scopes: ['read'] });
    expect(await send(reader)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
    const chat = await send(client, { path: '/chat/completions' });
    expect(chat).toMatchObject({ status: 404, body: { error: { code: 'unknown_url' } } });
  });
});

test('models lists what the operations can use, to any valid key', async () => {
  const client = await makeClient({ scopes: ['account'] });
  const { body } = await send(client, { path: '/models', method: 'GET' });
  expect(body).toMatchObject({ object: 'list' });
  expect(body.data.map(({ id }: { id: string }) => id)).toContain('canvas');
  expect((await send(client, { path: '/models/nothing', method: 'GET' })).status).toBe(404);
});

test('another account does not see a video, and an image is none', async () => {
  const client = await makeClient();
  const [answer] = await Promise.all([send(client), work(client)]);
  const id = answer.headers['x-generation-id'] as string;
  for (const each of [client, await makeClient()]) {
    expect((await send(each, { path: `/videos/${id}`, method: 'GET' })).status).toBe(404);
  }
  const list = await send(client, { path: '/videos', method: 'GET' });
  expect(list.body).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
});
