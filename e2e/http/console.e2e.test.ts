import { CONSOLE_HEADER } from '@atelier/contract/console';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Answer, call, submit, until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

const login = { email: 'ada@example.com', password: 'correct horse battery' };
let stack: Stack;
let console_: Member;
let cookie: string;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), workers: 1 });
  console_ = await stack.start('console', {
    PUBLIC_URL: stack.api().url,
    FIRST_USER_EMAIL: login.email,
    FIRST_USER_PASSWORD: login.password,
    ACCOUNT_TEST_COINS: '1000',
  });
});
afterAll(() => stack?.stop());

const ask = (operation: string, json?: unknown, headers: Record<string, string> = {}) =>
  call(console_.url, operation, {
    ...(operation.startsWith('GET') ? {} : { json: json ?? {} }),
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(operation.startsWith('GET')
        ? {}
        : { origin: console_.url, 'sec-fetch-site': 'same-origin', [CONSOLE_HEADER.name]: CONSOLE_HEADER.value }),
      ...headers,
    },
  });

/** The codes of the console are not part of the public API's schema. */
function expectProblem(answer: Answer, { status, code }: { status: number; code: string }): void {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({ status, code, type: expect.stringContaining(`/problems/${code}`) });
  expect(answer.status).toBe(status);
}

async function signIn(): Promise<string> {
  const answer = await ask('POST /api/auth/sign-in/email', login);
  expect(answer.status, answer.text).toBe(200);
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  expect(cookies.length).toBeGreaterThan(0);
  for (const each of cookies) expect(each).toMatch(/HttpOnly/i);
  return cookies.map((each) => each.split(';', 1)[0]).join('; ');
}

test('a person signs in, creates a key, spends with it, and revokes it', async () => {
  expectProblem(await ask('GET /api/session'), { status: 401, code: 'sign_in_required' });
  cookie = await signIn();
  const session = await ask('GET /api/session');
  expect(session.body).toMatchObject({ person: { email: login.email }, apiUrl: stack.api().url });
  const [membership] = session.body.memberships;
  expect(membership.role).toBe('owner');
  const base = `/api/accounts/${membership.accountIds.test}`;

  const made = await ask(`POST ${base}/keys`, { name: 'first', scopes: ['generate', 'read', 'account'] });
  expect(made.status, made.text).toBe(201);
  const { key, secret } = made.body;
  const submitted = await submit(stack.api().url, { key: secret });
  expect(submitted.status, submitted.text).toBe(201);

  // The console shows it with the session alone.
  const seen = await until('the generation succeeds', async () => {
    const answer = await ask(`GET ${base}/v1/generations/${submitted.body.id}`);
    return answer.body.status === 'succeeded' && answer.body;
  });
  expect(seen.outputs).toHaveLength(1);
  expect((await ask(`GET ${base}/v1/account`)).body).toMatchObject({ key: null, channel: 'web' });
  const spent = (await ask(`GET ${base}/keys`)).body.items.find((each: { id: string }) => each.id === key.id);
  expect(spent).toMatchObject({ spentThisMonthCoins: 7, status: 'active' });

  // A submit by session, without a key.
  const direct = await ask(
    `POST ${base}/v1/generations`,
    { modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 100 },
    { 'idempotency-key': 'a-submit-by-session-1' },
  );
  expect(direct.status, direct.text).toBe(201);

  expect((await ask(`POST ${base}/keys/${key.id}/revoke`)).body.status).toBe('revoked');
  const revokedAt = performance.now();
  await until('the key is refused', async () => {
    const answer = await call(stack.api().url, 'GET /v1/account', { key: secret });
    return answer.status === 401;
  });
  expect(performance.now() - revokedAt).toBeLessThan(1_250);
  await stack.assertBooks();
});

test('a signed-out session, a foreign session and a request of another site are refused', async () => {
  cookie = await signIn();
  const crossSite = { 'sec-fetch-site': 'cross-site' };
  expectProblem(await ask('POST /api/auth/sign-out', {}, crossSite), { status: 403, code: 'cross_site_request' });
  expect((await ask('GET /api/session')).status).toBe(200);
  expect((await ask('POST /api/auth/sign-out')).status).toBe(200);
  expectProblem(await ask('GET /api/session'), { status: 401, code: 'sign_in_required' });
  cookie = 'sid=made-up; better-auth.session_token=made-up';
  expectProblem(await ask('GET /api/session'), { status: 401, code: 'sign_in_required' });
});

test('the API listener has nothing of the console, and the console no public API', async () => {
  for (const path of ['/api/session', '/api/auth/get-session', '/keys']) {
    expectProblem(await call(stack.api().url, `GET ${path}`), { status: 404, code: 'not_found' });
  }
  expectProblem(await call(console_.url, 'GET /v1/models'), { status: 404, code: 'not_found' });
  const page = await call(console_.url, 'GET /');
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
});
