import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { computeTotp, decodeBase32, STEP_MS } from './testing/compute-totp.ts';
import { CONSOLE_URL, createTestIdentity, PASSWORD, type TestBrowser } from './testing/create-test-identity.ts';
import { createSoftwarePasskey } from './testing/software-passkey.ts';

const { db, owner } = await openTestDatabase();
const { identity, openBrowser, addPerson } = await createTestIdentity(db);

async function enableTotp(browser: TestBrowser) {
  const enabled = await browser.post('/two-factor/enable', { password: PASSWORD });
  expect(enabled.status).toBe(200);
  const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] };
  const verified = await browser.post('/two-factor/verify-totp', { code: computeTotp(totpURI, Date.now() - STEP_MS) });
  expect(verified.status).toBe(200);
  return { totpURI, backupCodes };
}

test('with TOTP on, a password alone does not sign in; a code or an unused backup code completes it', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  const { totpURI, backupCodes } = await enableTotp(browser);
  await browser.post('/sign-out');

  const first = await signIn();
  expect(first).toMatchObject({ status: 200, body: { twoFactorRedirect: true, twoFactorMethods: ['totp'] } });
  expect(await identity.readSession(browser.headers())).toBeNull();
  const wrong = await browser.post('/two-factor/verify-totp', { code: '000000' });
  expect(wrong).toMatchObject({ status: 401, body: { code: 'INVALID_CODE' } });
  const right = await browser.post('/two-factor/verify-totp', { code: computeTotp(totpURI), trustDevice: true });
  expect(right.status).toBe(200);
  expect(await identity.readSession(browser.headers())).toMatchObject({ email });
  expect([...browser.cookies.keys()].filter((name) => name.includes('trust'))).toEqual([]);

  for (const [code, status] of [
    [backupCodes[0], 200],
    [backupCodes[0], 401],
  ] as const) {
    const other = openBrowser(`203.0.113.${status % 200}`);
    await other.post('/sign-in/email', { email, password: PASSWORD });
    expect((await other.post('/two-factor/verify-backup-code', { code })).status).toBe(status);
  }
});

test('a code completes one sign-in, also of requests that arrive together', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  const { totpURI } = await enableTotp(browser);
  const browsers = [openBrowser('203.0.113.31'), openBrowser('203.0.113.32'), openBrowser('203.0.113.33')];
  for (const each of browsers) await each.post('/sign-in/email', { email, password: PASSWORD });
  const code = computeTotp(totpURI);
  const together = await Promise.all(
    browsers.slice(0, 2).map((each) => each.post('/two-factor/verify-totp', { code })),
  );
  expect(together.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  expect((await browsers[2]!.post('/two-factor/verify-totp', { code })).status).toBe(401);
  expect(await identity.readSession(browsers[2]!.headers())).toBeNull();
});

test('a second factor is locked after ten wrong codes, over all challenges', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  const { totpURI } = await enableTotp(browser);
  let last = 0;
  for (let round = 0; round < 3; round += 1) {
    const guesser = openBrowser(`203.0.113.${100 + round}`);
    await guesser.post('/sign-in/email', { email, password: PASSWORD });
    for (let guess = 0; guess < 5; guess += 1) {
      last = (await guesser.post('/two-factor/verify-totp', { code: '000000' })).status;
    }
  }
  expect(last).toBe(429);
  const guesser = openBrowser('203.0.113.120');
  await guesser.post('/sign-in/email', { email, password: PASSWORD });
  expect((await guesser.post('/two-factor/verify-totp', { code: computeTotp(totpURI) })).status).toBe(429);
});

test('secrets of second factors are encrypted in the database', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const { totpURI, backupCodes } = await enableTotp(browser);
  const { rows } = await owner.pool.query('SELECT string_agg(t::text, $1) AS text FROM person_two_factor t', ['\n']);
  const secret = decodeBase32(new URL(totpURI).searchParams.get('secret') as string).toString();
  for (const text of [secret, ...backupCodes]) expect(rows[0].text).not.toContain(text);
});

test('turning TOTP on or off needs the password', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  expect((await browser.post('/two-factor/enable', { password: 'wrong password 123' })).status).toBe(400);
  await enableTotp(browser);
  expect((await browser.post('/two-factor/disable', { password: 'wrong password 123' })).status).toBe(400);
  expect((await browser.post('/two-factor/disable', { password: PASSWORD })).status).toBe(200);
  await browser.post('/sign-out');
  expect((await signIn()).body.twoFactorRedirect).toBeUndefined();
});

test('a passkey is added and signs in without a password', async () => {
  const { email, browser, signIn } = await addPerson();
  await signIn();
  const key = createSoftwarePasskey({ origin: CONSOLE_URL });
  const { body: creation } = await browser.get('/passkey/generate-register-options?name=Laptop');
  expect(creation).toMatchObject({
    rp: { id: 'console.example.com', name: 'Atelier' },
    authenticatorSelection: { userVerification: 'required', residentKey: 'required' },
  });
  const added = await browser.post('/passkey/verify-registration', {
    response: key.register(creation),
    name: 'Laptop',
    password: PASSWORD,
  });
  expect(added.status).toBe(200);
  expect((await browser.get('/passkey/list-user-passkeys')).body).toMatchObject([{ name: 'Laptop' }]);

  const other = openBrowser('203.0.113.50');
  const { body: request } = await other.get('/passkey/generate-authenticate-options');
  const response = key.authenticate(request);
  const signedIn = await other.post('/passkey/verify-authentication', { response });
  expect(signedIn.status).toBe(200);
  expect(await identity.readSession(other.headers())).toMatchObject({ email });
  // The challenge is used up.
  expect((await other.post('/passkey/verify-authentication', { response })).status).toBe(400);
});

test.each([
  ['of another site', { origin: 'https://console.example.org' }],
  ['of a device that did not check who holds it', { origin: CONSOLE_URL, verifiesUser: false }],
])('a passkey %s is refused', async (_case, options) => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const { body: creation } = await browser.get('/passkey/generate-register-options');
  const response = createSoftwarePasskey(options).register(creation);
  const refused = await browser.post('/passkey/verify-registration', { response, name: 'Bad', password: PASSWORD });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(refused.status).toBeLessThan(500);
  expect((await browser.get('/passkey/list-user-passkeys')).body).toEqual([]);
});

test('a passkey is not added by a session that is older than 15 minutes', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const { sessionId } = (await identity.readSession(browser.headers()))!;
  await owner.pool.query(`UPDATE person_session SET created_at = now() - interval '16 minutes' WHERE id = $1`, [
    sessionId,
  ]);
  const refused = await browser.get('/passkey/generate-register-options');
  expect(refused).toMatchObject({ status: 403, body: { code: 'SESSION_NOT_FRESH' } });
});

test.each([
  ['no password', undefined, 400],
  ['a wrong password', 'a wrong password', 400],
])('whoever has only the cookie of a new session adds no passkey: %s', async (_case, password, status) => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const key = createSoftwarePasskey({ origin: CONSOLE_URL });
  const { body: creation } = await browser.get('/passkey/generate-register-options');
  const body = { response: key.register(creation), name: 'Stolen', password };
  expect((await browser.post('/passkey/verify-registration', body)).status).toBe(status);
  expect((await browser.get('/passkey/list-user-passkeys')).body).toEqual([]);
});

test('guesses of the password by someone who has a session are throttled', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const guess = async (path: string, body: object) => (await browser.post(path, body)).status;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect(await guess('/passkey/verify-registration', { name: 'x', password: `wrong password ${attempt}` })).toBe(400);
    expect(await guess('/two-factor/enable', { password: `wrong password ${attempt}` })).toBe(400);
  }
  expect(await guess('/passkey/verify-registration', { name: 'x', password: PASSWORD })).toBe(429);
  const body = { currentPassword: PASSWORD, newPassword: 'another horse battery' };
  expect(await guess('/change-password', body)).toBe(429);
});

test('a passkey of another person cannot be renamed or deleted', async () => {
  const { browser, signIn } = await addPerson();
  await signIn();
  const key = createSoftwarePasskey({ origin: CONSOLE_URL });
  const { body: creation } = await browser.get('/passkey/generate-register-options');
  const added = await browser.post('/passkey/verify-registration', {
    response: key.register(creation),
    name: 'Mine',
    password: PASSWORD,
  });
  const stranger = await addPerson();
  await stranger.signIn();
  for (const [path, body] of [
    ['/passkey/delete-passkey', { id: added.body.id }],
    ['/passkey/update-passkey', { id: added.body.id, name: 'Theirs' }],
  ] as const) {
    expect((await stranger.browser.post(path, body)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await browser.get('/passkey/list-user-passkeys')).body).toMatchObject([{ name: 'Mine' }]);
});
