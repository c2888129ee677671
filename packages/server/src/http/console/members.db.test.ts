import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createTestConsole, ORIGIN, type TestConsole } from './testing/create-test-console.ts';

const database = await openTestDatabase();
let console_: TestConsole;

beforeAll(async () => {
  console_ = await createTestConsole(database);
});
afterAll(() => console_.close());

test('an owner invites a person, who accepts, gets another role and is removed', async () => {
  const pair = await console_.addPair();
  const owner = await console_.addMember(pair.ownerId, 'owner');
  const guest = await console_.addPerson();
  const base = `/api/accounts/${pair.accountId}`;
  const email = `${guest.personId}@example.com`;
  const ask = (operation: string, json?: unknown) => console_.call(operation, { cookie: owner.cookie, json });

  const invited = await ask(`POST ${base}/invitations`, { email: ` ${email.toUpperCase()} `, role: 'viewer' });
  expect(invited.statusCode, invited.payload).toBe(201);
  const mail = console_.mails.at(-1)!;
  expect(mail.to).toBe(email);
  const link = new URL(/https:\/\/\S+/.exec(mail.text)![0]);
  expect(link.origin).toBe(ORIGIN);
  const token = link.searchParams.get('invitation')!;
  expect(invited.payload).not.toContain(token);
  const open = await ask(`GET ${base}/invitations`);
  expect(open.json().items).toMatchObject([{ email, role: 'viewer' }]);
  expect(open.payload).not.toContain(token);

  // Only for the address that it was sent to, and once.
  const accept = (cookie: string) => console_.call('POST /api/invitations/accept', { cookie, json: { token } });
  const stranger = await console_.addPerson();
  expect((await accept(stranger.cookie)).json().code).toBe('not_found');
  expect((await accept(guest.cookie)).json()).toEqual({ accountId: pair.accountId, role: 'viewer' });
  expect((await accept(guest.cookie)).json().code).toBe('not_found');

  const listed = (await ask(`GET ${base}/members`)).json().items;
  expect(listed.map((member: { role: string; isYou: boolean }) => [member.role, member.isYou])).toEqual([
    ['owner', true],
    ['viewer', false],
  ]);
  const changed = await ask(`PATCH ${base}/members/${guest.personId}`, { role: 'developer' });
  expect(changed.json().items[1]).toMatchObject({ personId: guest.personId, role: 'developer' });
  const removed = await ask(`DELETE ${base}/members/${guest.personId}`);
  expect(removed.json().items).toHaveLength(1);
  expect((await console_.call(`GET ${base}/keys`, { cookie: guest.cookie })).statusCode).toBe(404);
});

test('the only owner can neither be removed nor get another role', async () => {
  const pair = await console_.addPair();
  const owner = await console_.addMember(pair.ownerId, 'owner');
  const path = `/api/accounts/${pair.accountId}/members/${owner.personId}`;
  for (const [operation, json] of [
    [`PATCH ${path}`, { role: 'viewer' }],
    [`DELETE ${path}`, undefined],
  ] as const) {
    const answer = await console_.call(operation, { cookie: owner.cookie, json });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_params']);
  }
});

test('an owner renames the account, live and test, for every member', async () => {
  const pair = await console_.addPair();
  const owner = await console_.addMember(pair.ownerId, 'owner');
  const viewer = await console_.addMember(pair.ownerId, 'viewer');
  const rename = (name: string) =>
    console_.call(`PATCH /api/accounts/${pair.accountId}/settings`, { cookie: owner.cookie, json: { name } });
  const changed = await rename('  Northlight ');
  expect([changed.statusCode, changed.json()]).toEqual([200, { name: 'Northlight' }]);
  const session = await console_.call('GET /api/session', { cookie: viewer.cookie });
  expect(session.json().memberships).toMatchObject([{ name: 'Northlight' }]);
  const { rows } = await database.owner.pool.query('SELECT name FROM account WHERE owner_id = $1', [pair.ownerId]);
  expect(rows).toEqual([{ name: 'Northlight' }, { name: 'Northlight' }]);
  for (const bad of ['', '   ', 'two\nlines', 'x'.repeat(101)]) {
    expect((await rename(bad)).json().code).toBe('invalid_params');
  }
});

test('the ways to sign in are public and the same for everyone', async () => {
  const { cookie } = await console_.addPerson();
  for (const options of [{}, { cookie }]) {
    const answer = await console_.call('GET /api/sign-in', options);
    expect([answer.statusCode, answer.json()]).toEqual([200, { oidc: false, signUp: 'invited' }]);
    expect(answer.headers['cache-control']).toBe('no-store');
  }
});
