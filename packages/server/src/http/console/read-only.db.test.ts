import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createTestConsole, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
const MESSAGE = 'The database moves. Back at noon.';
let console_: TestConsole;
let keys: string;
let owner: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  keys = `/api/accounts/${pair.accountId}/keys`;
  owner = await console_.addMember(pair.ownerId, 'owner');
});
afterEach(() => {
  console_.services.state.readOnly = null;
});
afterAll(() => console_.close());

const create = () =>
  console_.call(`POST ${keys}`, { cookie: owner.cookie, json: { name: 'server', scopes: ['read'] } });

test('503 unavailable: a change in the console while the service is read-only; reads work', async () => {
  console_.services.state.readOnly = MESSAGE;
  const refused = await create();
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '60']);
  expect(refused.json()).toMatchObject({ code: 'unavailable', detail: MESSAGE });
  expect((await console_.call(`GET ${keys}`, { cookie: owner.cookie })).json()).toMatchObject({ items: [] });
  console_.services.state.readOnly = null;
  expect((await create()).statusCode).toBe(201);
});

test('who is not signed in does not learn the state of the service', async () => {
  console_.services.state.readOnly = MESSAGE;
  const refused = await console_.call(`POST ${keys}`, { json: { name: 'server', scopes: ['read'] } });
  expect(refused.statusCode).toBe(401);
});
