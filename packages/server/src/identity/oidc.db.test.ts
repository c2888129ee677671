import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { listMemberships } from '../domain/people/memberships.ts';
import { CONSOLE_URL, createTestIdentity, PASSWORD, type TestBrowser } from './testing/create-test-identity.ts';
import { OIDC_CLIENT, startOidcProvider } from './testing/start-oidc-provider.ts';

const { db, owner } = await openTestDatabase();
const provider = await startOidcProvider();
afterAll(() => provider.stop());
const oidc = { issuer: provider.issuer, ...OIDC_CLIENT };
const open = await createTestIdentity(db, { oidc });
const closed = await createTestIdentity(db, { oidc, signUp: 'invited' });

type Claims = Parameters<typeof provider.authorize>[1];
const ada: Claims = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' };

async function signIn(browser: TestBrowser, claims: Claims, change = (query: URLSearchParams) => query) {
  const start = await browser.post('/sign-in/social', { provider: 'oidc', callbackURL: '/' });
  expect(start.status).toBe(200);
  const url = new URL(start.body.url);
  expect(url.searchParams.get('redirect_uri')).toBe(`${CONSOLE_URL}/api/auth/callback/oidc`);
  const back = await browser.get(`/callback/oidc?${change(provider.authorize(start.body.url, claims))}`);
  expect(back.status).toBe(302);
  return back.headers.get('location') as string;
}

test('a person signs in through the provider, and again as the same person', async () => {
  const browser = open.openBrowser();
  expect(await signIn(browser, ada)).toBe('/');
  const first = (await open.identity.readSession(browser.headers()))!;
  expect(first).toMatchObject({ email: 'ada@example.com', name: 'Ada' });
  expect(await listMemberships(open.services, first.personId)).toMatchObject([{ role: 'owner' }]);
  const other = open.openBrowser('203.0.113.3');
  await signIn(other, ada);
  expect((await open.identity.readSession(other.headers()))?.personId).toBe(first.personId);
  const { rows } = await owner.pool.query(
    `SELECT access_token, refresh_token, id_token FROM person_credential WHERE provider_id = 'oidc'`,
  );
  expect(rows).toEqual([{ access_token: null, refresh_token: null, id_token: null }]);
});

/** Claims of someone whom no other test knows. */
const newcomer = (claims: Partial<Claims>): Claims => {
  const sub = randomUUID();
  return { ...ada, sub, email: `${sub}@example.com`, ...claims };
};

async function expectRefusal(claims: Claims, change?: (query: URLSearchParams) => URLSearchParams) {
  const browser = open.openBrowser('203.0.113.4');
  const location = await signIn(browser, claims, change);
  expect(new URL(location, CONSOLE_URL).origin).toBe(CONSOLE_URL);
  expect(location).toContain('error=');
  expect(await open.identity.readSession(browser.headers())).toBeNull();
}

test.each([false, 'false', 'true', 1, null, undefined])(
  'an address whose email_verified is %j does not sign in',
  (verified) => expectRefusal(newcomer({ email_verified: verified })),
);

test.each([false, 'false', 'true'])(
  'an address whose email_verified is %j does not sign in to the account of its owner',
  async (verified) => {
    const claims = newcomer({ email_verified: verified });
    const email = claims.email as string;
    await open.identity.createPerson({ email, name: 'Owner', password: PASSWORD });
    await expectRefusal(claims);
  },
);

test.each([
  'eve',
  'eve@example.com\nbcc: x@example.com',
  `${'e'.repeat(250)}@example.com`,
  'Eve <eve@example.com>',
  ['eve@example.com'],
  null,
])('the address %j of a provider does not sign in', (email) => expectRefusal(newcomer({ email })));

test('a changed state, or a code that was not issued, does not sign in', async () => {
  await expectRefusal(ada, (query) => new URLSearchParams({ code: query.get('code')!, state: 'other' }));
  await expectRefusal(ada, (query) => new URLSearchParams({ code: 'x', state: query.get('state')! }));
});

test('a long name and a picture of a provider are cut or dropped', async () => {
  const browser = open.openBrowser('203.0.113.14');
  const claims = { ...newcomer({ name: `E\nve ${'e'.repeat(300)}` }), picture: 'https://evil.example/x.png' };
  expect(await signIn(browser, claims)).toBe('/');
  const { body } = await browser.get('/get-session');
  expect(body.user).toMatchObject({ name: `E ve ${'e'.repeat(195)}`, image: null });
});

test('a redirect that another browser started does not sign this one in', async () => {
  const attacker = open.openBrowser('203.0.113.5');
  const start = await attacker.post('/sign-in/social', { provider: 'oidc', callbackURL: '/' });
  const query = provider.authorize(start.body.url, ada);
  const victim = open.openBrowser('203.0.113.6');
  await victim.get(`/callback/oidc?${query}`);
  expect(await open.identity.readSession(victim.headers())).toBeNull();
});

test('the return address must belong to the console', async () => {
  const browser = open.openBrowser('203.0.113.7');
  for (const callbackURL of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
    expect((await browser.post('/sign-in/social', { provider: 'oidc', callbackURL })).status).toBe(403);
  }
});

test.each([
  '/..//evil.example',
  '/.//evil.example',
  '/a/../..//evil.example',
  '/%2e%2e//evil.example',
  '/\t/evil.example',
  '//evil.example',
])('a refusal does not lead to another host through %j', async (errorCallbackURL) => {
  const browser = open.openBrowser('203.0.113.17');
  const start = await browser.post('/sign-in/social', { provider: 'oidc', callbackURL: '/', errorCallbackURL });
  if (start.status !== 200) return expect(start.status).toBe(403);
  const query = provider.authorize(start.body.url, {
    ...ada,
    email_verified: false,
    sub: 'eve',
    email: 'eve@example.com',
  });
  const { headers } = await browser.get(`/callback/oidc?${query}`);
  expect(new URL(headers.get('location') as string, CONSOLE_URL).origin).toBe(CONSOLE_URL);
});

test('with sign-up by invitation, only a person who exists signs in', async () => {
  const browser = closed.openBrowser('203.0.113.8');
  const claims = { sub: 'bob', email: 'bob@example.com', email_verified: true, name: 'Bob' };
  expect(await signIn(browser, claims)).toContain('error=');
  expect(await closed.identity.readSession(browser.headers())).toBeNull();
  await closed.identity.createPerson({ email: claims.email, name: 'Bob', password: PASSWORD });
  expect(await signIn(browser, claims)).toBe('/');
  expect(await closed.identity.readSession(browser.headers())).toMatchObject({ email: claims.email });
});

test('without a provider that answers, the other ways to sign in work', async () => {
  const identity = await createTestIdentity(db, { oidc: { ...oidc, issuer: 'http://127.0.0.1:1' } });
  const browser = identity.openBrowser('203.0.113.9');
  expect((await browser.post('/sign-in/social', { provider: 'oidc', callbackURL: '/' })).status).toBe(404);
  await identity.identity.createPerson({ email: 'carl@example.com', name: 'Carl', password: PASSWORD });
  expect((await browser.post('/sign-in/email', { email: 'carl@example.com', password: PASSWORD })).status).toBe(200);
});
