import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { createInvitation } from '../domain/people/invitations.ts';
import { findMembership, listMembers, listMemberships } from '../domain/people/memberships.ts';
import { setUpPerson } from '../domain/people/set-up-person.ts';
import { createDb } from '../platform/db.ts';
import { SERVED } from './serve-auth.ts';
import { CONSOLE_URL, createTestIdentity, PASSWORD } from './testing/create-test-identity.ts';

const { db, owner, url } = await openTestDatabase();
const { identity, services, mails, openBrowser, addPerson } = await createTestIdentity(db);
const closed = await createTestIdentity(db, { signUp: 'invited' });
const accountDefaults = { coins: 0, testCoins: 0, runLimit: 2, raisedLimit: null, rateLimit: 300, keyRateLimit: 120 };

async function measure<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startMs = performance.now();
  const result = await work();
  return { result, ms: performance.now() - startMs };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

test('a sign-in with an unknown address has the same answer as one with a wrong password, after a similar time', async () => {
  const { email } = await addPerson();
  const times: Record<string, number[]> = { known: [], unknown: [] };
  const answers = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    for (const [kind, address] of [
      ['known', email],
      ['unknown', 'nobody@example.com'],
    ] as const) {
      const browser = openBrowser(`203.0.113.${round}`);
      const { result, ms } = await measure(() =>
        browser.post('/sign-in/email', { email: address, password: 'a wrong password' }),
      );
      answers.add(`${result.status} ${result.text}`);
      times[kind]?.push(ms);
    }
  }
  expect([...answers]).toEqual(['401 {"code":"INVALID_EMAIL_OR_PASSWORD","message":"Invalid email or password"}']);
  const ratio = median(times.known as number[]) / median(times.unknown as number[]);
  expect(ratio).toBeGreaterThan(0.4);
  expect(ratio).toBeLessThan(2.5);
});

test('a password reset and a new verification mail have the same answer for every address', async () => {
  const { email } = await addPerson();
  for (const path of ['/request-password-reset', '/send-verification-email']) {
    const answers = await Promise.all(
      [email, 'nobody@example.com'].map((each) => openBrowser('203.0.113.9').post(path, { email: each })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  }
  expect(mails.filter(({ to }) => to === 'nobody@example.com')).toEqual([]);
});

test('a sign-up with an address that has an account looks like any other, and its owner gets a mail', async () => {
  const { email } = await addPerson();
  const before = mails.filter(({ to }) => to === email).length;
  const browser = openBrowser('203.0.113.10');
  const again = await browser.post('/sign-up/email', { name: 'Eve', email, password: 'some other password' });
  const fresh = await browser.post('/sign-up/email', { name: 'Eve', email: 'eve@example.com', password: PASSWORD });
  expect(again.status).toBe(200);
  expect(Object.keys(again.body.user).sort()).toEqual(Object.keys(fresh.body.user).sort());
  expect({ ...again.body.user, id: '', email: '', createdAt: '', updatedAt: '' }).toEqual({
    ...fresh.body.user,
    id: '',
    email: '',
    createdAt: '',
    updatedAt: '',
  });
  await expect.poll(() => mails.filter(({ to }) => to === email).length).toBe(before + 1);
  expect(mails.findLast(({ to }) => to === email)?.subject).toBe('You already have an account');
  const signIn = await openBrowser().post('/sign-in/email', { email, password: 'some other password' });
  expect(signIn.status).toBe(401);
});

test.each(['known', 'unknown'])(
  'guessing the password of a %s address is throttled, elsewhere it is not',
  async (kind) => {
    const email = kind === 'known' ? (await addPerson()).email : 'unknown@example.com';
    const address = kind === 'known' ? '203.0.113.20' : '203.0.113.22';
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const browser = openBrowser(address);
      const answer = await browser.post('/sign-in/email', { email, password: `wrong password ${attempt}` });
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.body).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        message: expect.stringContaining('Try again in'),
      });
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    const elsewhere = await openBrowser('203.0.113.21').post('/sign-in/email', { email, password: PASSWORD });
    expect(elsewhere.status).toBe(kind === 'known' ? 200 : 401);
  },
);

test('mails to one address from one client are throttled, whether or not it has an account', async () => {
  for (const email of [(await addPerson()).email, 'ghost@example.com']) {
    const statuses: number[] = [];
    const browser = openBrowser('203.0.113.30');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      statuses.push((await browser.post('/request-password-reset', { email })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  }
});

test('strangers who ask for password links do not block the owner, and the newest link alone works', async () => {
  const { email } = await addPerson();
  const links = () => mails.filter(({ to, text }) => to === email && text.includes('/reset-password?'));
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const stranger = openBrowser(`203.0.113.${150 + (attempt % 10)}`);
    expect((await stranger.post('/request-password-reset', { email })).status).toBe(200);
  }
  // The mailbox is not flooded.
  await expect.poll(() => links().length).toBe(20);
  const owner = openBrowser('203.0.113.170');
  expect((await owner.post('/request-password-reset', { email })).status).toBe(200);
  const tokens = links().map(({ text }) => /token=(\S+)/.exec(text)![1]);
  const reset = async (token: string | undefined) =>
    (await owner.post('/reset-password', { token, newPassword: 'another horse battery' })).status;
  expect(await reset(tokens.at(-2))).toBe(400);
  expect(await reset(tokens.at(-1))).toBe(200);
});

test('sign-ups hold no connection while passwords are hashed, so sessions are read meanwhile', async () => {
  const authDb = createDb({ url, applicationName: 'db-test', maxConnections: 2 });
  try {
    const slow = await createTestIdentity(db, { services, authDb, passwordCostBits: 16 });
    const { browser, signIn } = await addPerson();
    await signIn();
    let signedUp = 0;
    const signUps = Array.from({ length: 6 }, async (_, n) => {
      const person = { name: 'New', email: `new${n}@example.com`, password: PASSWORD };
      const { status } = await slow.openBrowser(`203.0.113.${180 + n}`).post('/sign-up/email', person);
      signedUp += 1;
      return status;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await slow.identity.readSession(browser.headers())).not.toBeNull();
    expect(signedUp).toBe(0);
    expect(await Promise.all(signUps)).toEqual(Array.from({ length: 6 }, () => 200));
  } finally {
    await authDb.pool.end();
  }
});

test('one client address is throttled over many email addresses', async () => {
  const browser = openBrowser('203.0.113.40');
  const statuses = new Set<number>();
  for (let attempt = 0; attempt < 21; attempt += 1) {
    statuses.add((await browser.post('/request-password-reset', { email: `spray${attempt}@example.com` })).status);
  }
  expect([...statuses]).toEqual([200, 429]);
  // A client cannot choose its address.
  const request = new Request(`${CONSOLE_URL}/api/auth/request-password-reset`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: CONSOLE_URL,
      'x-forwarded-for': '203.0.113.41',
      'x-atelier-client-address': '203.0.113.41',
    },
    body: JSON.stringify({ email: 'spray@example.com' }),
  });
  expect((await identity.handle(request, { address: '203.0.113.40' })).status).toBe(429);
});

test('only the listed endpoints exist', async () => {
  const browser = openBrowser('203.0.113.45');
  const hidden = [
    '/ok',
    '/error',
    '/revoke-sessions',
    '/update-session',
    '/delete-user',
    '/change-email',
    '/link-social',
  ];
  const others = [
    '/list-accounts',
    '/unlink-account',
    '/get-access-token',
    '/set-password',
    '/two-factor/send-otp',
    '',
  ];
  for (const path of [...hidden, ...others]) {
    expect((await browser.get(path)).status).toBe(404);
    expect((await browser.post(path)).status).toBe(404);
  }
  for (const [path, { method }] of Object.entries(SERVED)) {
    expect((await (method === 'GET' ? browser.post(path) : browser.get(path))).status).toBe(404);
  }
});

test('requests of other origins, without JSON or with a large body are refused', async () => {
  const send = (headers: Record<string, string>, body: string) =>
    identity.handle(new Request(`${CONSOLE_URL}/api/auth/sign-in/email`, { method: 'POST', headers, body }), {
      address: '203.0.113.46',
    });
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email: 'a@example.com', password: PASSWORD });
  expect((await send({ ...json, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, body)).status).toBe(
    403,
  );
  expect((await send({ ...json, origin: 'https://evil.example', cookie: 'a=b' }, body)).status).toBe(403);
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: CONSOLE_URL };
  expect((await send(form, 'email=a%40example.com&password=x')).status).toBe(415);
  expect((await send({ ...json, origin: CONSOLE_URL }, JSON.stringify({ email: 'x'.repeat(70_000) }))).status).toBe(
    413,
  );
  expect((await send({ ...json, origin: CONSOLE_URL }, '{')).status).toBe(400);
});

test('with sign-up by invitation, only an invited person signs up, and belongs to the account at once', async () => {
  const inviter = await addPerson();
  await inviter.signIn();
  const { personId: inviterId } = (await identity.readSession(inviter.browser.headers()))!;
  const [pair] = await listMemberships(services, inviterId);
  const accountId = pair!.accountIds.live;
  const browser = closed.openBrowser('203.0.113.80');
  const refused = await browser.post('/sign-up/email', { name: 'X', email: 'x@example.com', password: PASSWORD });
  expect(refused).toMatchObject({ status: 403, body: { code: 'SIGN_UP_BY_INVITATION' } });

  const email = 'invited@example.com';
  const { token } = await createInvitation(services, {
    accountId,
    email,
    role: 'developer',
    invitedBy: inviterId,
    actor: 'test',
  });
  const other = await browser.post('/sign-up/email', {
    name: 'X',
    email: 'y@example.com',
    password: PASSWORD,
    invitation: token,
  });
  expect(other.status).toBe(403);
  const signUp = await browser.post('/sign-up/email', { name: 'Ivy', email, password: PASSWORD, invitation: token });
  expect(signUp.status).toBe(200);
  // The invitation was mailed to the address: nothing more has to be confirmed.
  expect(closed.mails.filter(({ to }) => to === email)).toEqual([]);
  expect((await browser.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  const { personId } = (await closed.identity.readSession(browser.headers()))!;
  expect(await findMembership(services, { personId, accountId })).toMatchObject({ role: 'developer' });
  expect(await listMemberships(services, personId)).toHaveLength(1);
});

test('a person who has an account joins another with the invitation, keeps the password, and the answer does not tell', async () => {
  const [inviter, invited] = [await addPerson(), await addPerson()];
  await inviter.signIn();
  const { personId: inviterId } = (await identity.readSession(inviter.browser.headers()))!;
  const [pair] = await listMemberships(services, inviterId);
  const accountId = pair!.accountIds.live;
  const invitation = { accountId, email: invited.email, role: 'billing', invitedBy: inviterId, actor: 'test' } as const;
  const { token } = await createInvitation(services, invitation);
  const signUp = (body: object) =>
    closed.openBrowser('203.0.113.81').post('/sign-up/email', { name: 'X', password: 'some other password', ...body });
  // The token alone, with another address, does nothing.
  expect((await signUp({ email: 'other@example.com', invitation: token })).status).toBe(403);
  const answer = await signUp({ email: invited.email, invitation: token });
  expect(answer).toMatchObject({ status: 200, body: { token: null } });
  expect((await invited.signIn()).status).toBe(200);
  const { personId } = (await identity.readSession(invited.browser.headers()))!;
  expect(await findMembership(services, { personId, accountId })).toMatchObject({ role: 'billing' });
});

test('a password that a stranger chose for an address does not survive an invitation to it', async () => {
  const email = 'wanted@example.com';
  await openBrowser('203.0.113.66').post('/sign-up/email', { name: 'Eve', email, password: 'password of eve' });
  const inviter = await addPerson();
  await inviter.signIn();
  const { personId } = (await identity.readSession(inviter.browser.headers()))!;
  const accountId = (await listMemberships(services, personId))[0]!.accountIds.live;
  const invitation = { accountId, email, role: 'owner', invitedBy: personId, actor: 'test' } as const;
  const { token } = await createInvitation(services, invitation);
  const browser = openBrowser('203.0.113.82');
  await browser.post('/sign-up/email', { name: 'Wanted', email, password: PASSWORD, invitation: token });
  expect((await browser.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  const eve = await openBrowser('203.0.113.66').post('/sign-in/email', { email, password: 'password of eve' });
  expect(eve.status).toBe(401);
});

test('a stranger who signs up while an invited person does gets no role', async () => {
  const inviter = await addPerson();
  await inviter.signIn();
  const { personId } = (await identity.readSession(inviter.browser.headers()))!;
  const accountId = (await listMemberships(services, personId))[0]!.accountIds.live;
  const email = 'raced@example.com';
  const { token } = await createInvitation(services, {
    accountId,
    email,
    role: 'owner',
    invitedBy: personId,
    actor: 'test',
  });
  const eve = openBrowser('203.0.113.67');
  // At the worst time: after the request made room for the invited person, and before it creates that person.
  const query: typeof db.query = async (statement, values) => {
    const rows = await db.query(statement, values);
    if (statement.name === 'delete_unverified') {
      await eve.post('/sign-up/email', { name: 'Eve', email, password: 'password of eve' });
    }
    return rows as never;
  };
  const raced = await createTestIdentity(db, { services: { ...services, db: { ...db, query } } });
  const browser = raced.openBrowser('203.0.113.83');
  await browser.post('/sign-up/email', { name: 'Raced', email, password: PASSWORD, invitation: token });
  expect((await eve.post('/sign-in/email', { email, password: 'password of eve' })).status).toBe(403);
  expect((await listMembers(services, accountId)).map((each) => each.email)).toEqual([inviter.email]);
  // The invitation is still there for the person who has it.
  const again = openBrowser('203.0.113.84');
  await again.post('/sign-up/email', { name: 'Raced', email, password: PASSWORD, invitation: token });
  expect((await again.post('/sign-in/email', { email, password: PASSWORD })).status).toBe(200);
  expect((await listMembers(services, accountId)).map((each) => each.email)).toContain(email);
});

test('names and images that a page should not show are refused or dropped', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  expect((await browser.post('/update-user', { name: 'a\u0000b' })).status).toBe(400);
  expect((await browser.post('/update-user', { name: 'x'.repeat(201) })).status).toBe(400);
  expect((await browser.post('/update-user', { name: 'New name', image: 'https://evil.example/x.png' })).status).toBe(
    200,
  );
  const { rows } = await owner.pool.query('SELECT name, image FROM person WHERE email = $1', [email]);
  expect(rows).toEqual([{ name: 'New name', image: null }]);
});

test('a person cannot verify or promote themselves through the fields of a sign-up', async () => {
  const browser = openBrowser('203.0.113.90');
  const email = 'mallory@example.com';
  await browser.post('/sign-up/email', {
    name: 'Mallory',
    email,
    password: PASSWORD,
    emailVerified: true,
    twoFactorEnabled: true,
    id: '00000000-0000-4000-8000-000000000000',
    set_up_at: '2026-01-01',
  });
  const { rows } = await owner.pool.query(
    'SELECT id, email_verified, two_factor_enabled, set_up_at FROM person WHERE email = $1',
    [email],
  );
  expect(rows[0] ?? { email_verified: false, two_factor_enabled: false, set_up_at: null }).toMatchObject({
    email_verified: false,
    two_factor_enabled: false,
    set_up_at: null,
  });
  if (rows[0] !== undefined) expect(await setUpPerson({ db, accountDefaults }, rows[0].id)).toBeNull();
});
