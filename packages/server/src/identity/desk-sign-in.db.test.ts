import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { requirePerson } from '../domain/people/manage-people.ts';
import { setOperator } from '../domain/people/operators.ts';
import { createOperatorCheck } from './require-operator.ts';
import { computeTotp, STEP_MS } from './testing/compute-totp.ts';
import { CONSOLE_URL, createTestIdentity, PASSWORD } from './testing/create-test-identity.ts';
import { createSoftwarePasskey } from './testing/software-passkey.ts';

const { db, desk: deskDb } = await openTestDatabase();
const console_ = await createTestIdentity(db);
const DESK_URL = 'https://desk.example.com';
const open = (secondFactor: boolean) =>
  createTestIdentity(deskDb, {
    // The same master key: codes of the console work at the desk.
    services: { ...console_.services, db: deskDb },
    listener: 'desk',
    consoleUrl: DESK_URL,
    onSession: createOperatorCheck({ db: deskDb }, { secondFactor }),
  });
const desk = await open(true);

async function addPerson(operator: boolean) {
  const person = await console_.addPerson();
  const personId = await requirePerson({ db }, person.email);
  if (operator) await setOperator({ db }, { personId, operator, actor: 'test' });
  await person.signIn();
  return { ...person, personId };
}

async function enableTotp({ browser }: Awaited<ReturnType<typeof addPerson>>): Promise<string> {
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  await browser.post('/two-factor/verify-totp', { code: computeTotp(body.totpURI, Date.now() - STEP_MS) });
  return body.totpURI;
}

test('an operator signs in with a password and a code, and not with a password alone', async () => {
  const operator = await addPerson(true);
  const browser = desk.openBrowser();
  const signIn = () => browser.post('/sign-in/email', { email: operator.email, password: PASSWORD });
  expect(await signIn()).toMatchObject({ status: 403, body: { code: 'SECOND_FACTOR_REQUIRED' } });
  expect(await desk.identity.readSession(browser.headers())).toBeNull();

  const uri = await enableTotp(operator);
  expect(await signIn()).toMatchObject({ status: 200, body: { twoFactorRedirect: true } });
  expect(await desk.identity.readSession(browser.headers())).toBeNull();
  expect((await browser.post('/two-factor/verify-totp', { code: computeTotp(uri) })).status).toBe(200);
  expect(await desk.identity.readSession(browser.headers())).toMatchObject({ personId: operator.personId });
  expect([...browser.cookies.keys()]).toContain('__Host-desk-sid');
  // One row, of the sign-in that succeeded.
  const audit = await db.pool.query(`SELECT action, detail FROM audit_log WHERE actor = $1`, [
    `person ${operator.personId}`,
  ]);
  expect(audit.rows.filter(({ action }) => action === 'operator.signed_in')).toEqual([
    { action: 'operator.signed_in', detail: { method: 'code' } },
  ]);
});

test('a person who is no operator does not sign in, with or without a code', async () => {
  const person = await addPerson(false);
  const browser = desk.openBrowser('203.0.113.5');
  const signIn = () => browser.post('/sign-in/email', { email: person.email, password: PASSWORD });
  // The desk cannot read their password, so it does not tell whether it is right.
  expect(await signIn()).toMatchObject({ status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' } });
  await enableTotp(person);
  expect((await signIn()).status).toBe(401);
  expect(await desk.identity.readSession(browser.headers())).toBeNull();
});

test('a session of the console is none at the desk, under any name, and the reverse', async () => {
  const operator = await addPerson(true);
  const uri = await enableTotp(operator);
  const browser = desk.openBrowser('203.0.113.6');
  await browser.post('/sign-in/email', { email: operator.email, password: PASSWORD });
  await browser.post('/two-factor/verify-totp', { code: computeTotp(uri) });
  const ofConsole = operator.browser.cookies.get('__Host-sid');
  const ofDesk = browser.cookies.get('__Host-desk-sid');
  const headers = (value: string | undefined) =>
    new Headers({ cookie: `__Host-sid=${value}; __Host-desk-sid=${value}` });
  expect(await console_.identity.readSession(headers(ofConsole))).not.toBeNull();
  expect(await desk.identity.readSession(headers(ofConsole))).toBeNull();
  expect(await desk.identity.readSession(headers(ofDesk))).not.toBeNull();
  expect(await console_.identity.readSession(headers(ofDesk))).toBeNull();
});

test('a passkey of the console opens nothing at the desk', async () => {
  const operator = await addPerson(true);
  // A device in software, which signs for any host.
  const key = createSoftwarePasskey({ origin: CONSOLE_URL });
  const { body: creation } = await operator.browser.get('/passkey/generate-register-options');
  const added = { response: key.register(creation), name: 'Laptop', password: PASSWORD };
  expect((await operator.browser.post('/passkey/verify-registration', added)).status).toBe(200);
  const browser = desk.openBrowser('203.0.113.9');
  const { body: request } = await browser.get('/passkey/generate-authenticate-options');
  const atDesk = createSoftwarePasskey({ origin: DESK_URL, like: key });
  const rpId = new URL(DESK_URL).hostname;
  const response = atDesk.authenticate({ challenge: request?.challenge ?? '', rpId });
  expect((await browser.post('/passkey/verify-authentication', { response })).status).not.toBe(200);
  expect(await desk.identity.readSession(browser.headers())).toBeNull();
});

test('nobody signs up or changes themselves at the desk', async () => {
  const browser = desk.openBrowser('203.0.113.7');
  for (const path of [
    '/sign-up/email',
    '/two-factor/disable',
    '/two-factor/enable',
    '/update-user',
    '/reset-password',
  ]) {
    expect((await browser.post(path, {})).status, path).toBe(404);
  }
  expect((await browser.get('/list-sessions')).status).toBe(404);
});

test('without the second factor, for this machine alone, a password is enough for an operator', async () => {
  const loose = await open(false);
  const operator = await addPerson(true);
  const browser = loose.openBrowser('203.0.113.8');
  expect((await browser.post('/sign-in/email', { email: operator.email, password: PASSWORD })).status).toBe(200);
  expect(await loose.identity.readSession(browser.headers())).toMatchObject({ personId: operator.personId });
});
