import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createTestConsole, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
let console_: TestConsole;
let base: string;
let viewer: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  base = `/api/accounts/${pair.accountId}`;
  viewer = await console_.addMember(pair.ownerId, 'viewer');
});
afterAll(() => console_.close());

const ask = (path: string) => console_.call(`GET ${base}${path}`, { cookie: viewer.cookie });

test('the ledger of a new account is its grant', async () => {
  const answer = await ask('/ledger');
  expect(answer.json()).toMatchObject({
    items: [{ kind: 'grant', availableChange: 100, heldChange: 0, availableAfter: 100 }],
    nextCursor: null,
  });
});

test.each([
  ['csv', 'text/csv; charset=utf-8; header=present', /^id,createdAt,kind,[\w,]+\r\n\d+,[^,]+,grant,100,0,,,,\r\n$/],
  ['jsonl', 'application/jsonl; charset=utf-8', /^\{"id":\d+,.*"kind":"grant","availableChange":100,.*\}\n$/],
])('an export as %s is a file to save', async (format, contentType, content) => {
  const answer = await ask(`/ledger/export?format=${format}`);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': contentType,
    'content-disposition': expect.stringMatching(new RegExp(`^attachment; filename="ledger-[\\d-]{10}\\.${format}"$`)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(answer.payload).toMatch(content);
});

test.each([
  '/ledger/export',
  '/ledger/export?format=xlsx',
  '/ledger?limit=101',
  '/ledger?cursor=x',
  '/usage',
  '/events?cursor=x',
])('GET %s is refused', async (path) => {
  const answer = await ask(path);
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_params']);
});
