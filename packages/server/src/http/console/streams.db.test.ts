import { sessionPath } from '@atelier/contract/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { withTx } from '../../platform/db.ts';
import { createTestConsole, type TestConsole } from './testing/create-test-console.ts';

const database = await openTestDatabase();
let console_: TestConsole;

beforeAll(async () => {
  console_ = await createTestConsole(database);
});
afterAll(() => console_.close());

/** Per account: of signed-in people, and of keys. Per person: of all accounts. */
const SESSION_STREAMS = 50;
const KEY_STREAMS = 5;
const PERSON_STREAMS = 20;

test('open pages and programs have separate limits of event streams, and a person has one over all accounts', async () => {
  const pair = await console_.addPair();
  const { accountId } = pair;
  const people = await Promise.all([1, 2, 3].map(() => console_.addMember(pair.ownerId, 'viewer')));
  const key = await withTx(database.db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'k', scopes: ['read'] }));
  const listen = { host: '127.0.0.1', port: 0 };
  const consoleUrl = await console_.app.listen(listen);
  const apiUrl = await console_.publicApp.listen(listen);
  const end = new AbortController();
  const statusOf = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { headers, signal: end.signal })).status;
  const openPage = (person: number, account = accountId) => {
    const { cookie } = people[person]!;
    return statusOf(`${consoleUrl}${sessionPath('/v1/events/stream', account)}`, { cookie });
  };
  const openProgram = () => statusOf(`${apiUrl}/v1/events/stream`, { authorization: `Bearer ${key.key}` });
  try {
    for (let n = 0; n < SESSION_STREAMS; n += 1) expect(await openPage(Math.floor(n / PERSON_STREAMS))).toBe(200);
    // The first person has no stream left in any account; the third has, in another one.
    expect(await openPage(0, pair.testAccountId)).toBe(429);
    expect(await openPage(2)).toBe(429);
    expect(await openPage(2, pair.testAccountId)).toBe(200);
    for (let n = 0; n < KEY_STREAMS; n += 1) expect(await openProgram()).toBe(200);
    expect(await openProgram()).toBe(429);
  } finally {
    end.abort();
  }
});
