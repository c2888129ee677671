import { computeTotp } from '@atelier/server/identity/testing/compute-totp.ts';
import { createSoftwarePasskey } from '@atelier/server/identity/testing/software-passkey.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestBrowser } from '../harness/open-browser.ts';
import { PASSWORD, type People, readLink, startPeople } from './start-people.ts';

/** What a stranger who does not read the mails of an address can get by its sign-up, its sessions and its links. */
let people: People;

beforeAll(async () => {
  people = await startPeople(inject('services'));
});
afterAll(async () => {
  await people?.[Symbol.asyncDispose]();
});

const OF_STRANGER = 'password of a stranger';

const signUp = (browser: TestBrowser, email: string, password: string) =>
  browser.post('/api/auth/sign-up/email', { name: 'Someone', email, password });
const signIn = async (browser: TestBrowser, email: string, password: string) =>
  (await browser.post('/api/auth/sign-in/email', { email, password })).status;

async function addPasskey(browser: TestBrowser, password = PASSWORD) {
  const key = createSoftwarePasskey({ origin: people.url });
  const { body } = await browser.get('/api/auth/passkey/generate-register-options');
  const response = key.register(body);
  const answer = await browser.post('/api/auth/passkey/verify-registration', { response, name: 'Laptop', password });
  return { key, answer };
}

async function signInWithPasskey(browser: TestBrowser, key: Awaited<ReturnType<typeof addPasskey>>['key']) {
  const { body } = await browser.get('/api/auth/passkey/generate-authenticate-options');
  return browser.post('/api/auth/passkey/verify-authentication', { response: key.authenticate(body) });
}

test('a second sign-up replaces an unconfirmed one, and the mail of the first confirms nothing', async () => {
  const email = 'replaced@example.com';
  const [stranger, owner] = [people.openBrowser(), people.openBrowser()];
  await signUp(stranger, email, OF_STRANGER);
  const [first] = await people.waitForMails(email, 1);
  await signUp(owner, email, PASSWORD);
  const [, second] = await people.waitForMails(email, 2);

  const stale = await owner.follow(readLink(first!));
  expect(stale).toMatchObject({ status: 302 });
  expect(stale.headers.location).toContain('/verified?error=');
  expect(await signIn(stranger, email, OF_STRANGER)).toBe(401);
  expect(await signIn(owner, email, PASSWORD)).toBe(403);

  expect((await owner.follow(readLink(second!))).headers.location).toBe('/verified');
  expect(await signIn(owner, email, PASSWORD)).toBe(200);
  expect(await signIn(stranger, email, OF_STRANGER)).toBe(401);
});

test('a confirmation mail that a stranger caused does not make the password of the stranger valid', async () => {
  const email = 'confirmed@example.com';
  const [stranger, owner] = [people.openBrowser(), people.openBrowser()];
  await signUp(stranger, email, OF_STRANGER);
  const [mail] = await people.waitForMails(email, 1);
  const location = (await owner.follow(readLink(mail!))).headers.location as string;
  expect(await signIn(stranger, email, OF_STRANGER)).toBe(403);

  // The browser is not the one that signed up: whoever reads the mail chooses the password.
  const link = new URL(location, people.url);
  expect(link.pathname).toBe('/reset-password');
  const token = link.searchParams.get('token');
  expect((await owner.post('/api/auth/reset-password', { token, newPassword: PASSWORD })).status).toBe(200);
  expect(await signIn(owner, email, PASSWORD)).toBe(200);
  expect(await signIn(stranger, email, OF_STRANGER)).toBe(401);
});

test('a password reset ends all sessions and removes the passkeys that were added before it', async () => {
  const { email, browser } = await people.addPerson();
  const { key, answer } = await addPasskey(browser);
  expect(answer.status).toBe(200);
  const stranger = people.openBrowser();
  expect((await signInWithPasskey(stranger, key)).status).toBe(200);
  expect((await stranger.get('/api/session')).status).toBe(200);

  await browser.post('/api/auth/request-password-reset', { email });
  const mails = await people.waitForMails(email, 3);
  const token = new URL(readLink(mails.find((mail) => mail.includes('/reset-password'))!), people.url).searchParams.get(
    'token',
  );
  const newPassword = 'another horse battery';
  expect((await browser.post('/api/auth/reset-password', { token, newPassword })).status).toBe(200);

  for (const each of [browser, stranger]) expect((await each.get('/api/session')).status).toBe(401);
  expect((await signInWithPasskey(people.openBrowser(), key)).status).toBe(401);
  expect(await signIn(browser, email, newPassword)).toBe(200);
  expect((await browser.get('/api/auth/passkey/list-user-passkeys')).body).toEqual([]);
});

test('every new factor is announced by mail: passkey, authenticator app, password', async () => {
  const { email, browser } = await people.addPerson();
  await addPasskey(browser);
  expect((await people.waitForMails(email, 2)).at(-1)).toMatch(/passkey \\?"Laptop\\?" was added/);
  const { body } = await browser.post('/api/auth/two-factor/enable', { password: PASSWORD });
  expect((await browser.post('/api/auth/two-factor/verify-totp', { code: computeTotp(body.totpURI) })).status).toBe(
    200,
  );
  expect((await people.waitForMails(email, 3)).at(-1)).toContain('authenticator app was turned on');
  await browser.post('/api/auth/change-password', { currentPassword: PASSWORD, newPassword: 'another horse battery' });
  expect((await people.waitForMails(email, 4)).at(-1)).toContain('password was changed');
});

test('a link that confirms an address leads to pages of the console only', async () => {
  for (const callbackURL of ['/..//evil.example', '//evil.example', 'https://evil.example', '/%2e%2e//evil.example']) {
    const query = new URLSearchParams({ token: 'x', callbackURL });
    const { status, headers } = await people.openBrowser().follow(`/api/auth/verify-email?${query}`);
    expect(status).toBe(302);
    expect(new URL(headers.location as string, people.url).origin).toBe(people.url);
  }
});

test('whoever has the cookie of a new session, and not the password, adds no passkey', async () => {
  const { email, browser } = await people.addPerson();
  const stolen = people.openBrowser();
  for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
  const { key, answer } = await addPasskey(stolen, OF_STRANGER);
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_PASSWORD' } });
  expect((await signInWithPasskey(people.openBrowser(), key)).status).toBe(401);
  expect(await signIn(people.openBrowser(), email, PASSWORD)).toBe(200);
});
