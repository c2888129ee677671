import type { Pairing, RedeemedPairing, Role } from '@atelier/contract/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { sweepPeople } from '../../domain/people/sweep-people.ts';
import { createTestConsole, send, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
const { pool } = database.owner;
let console_: TestConsole;
let accountId: string;
let pairId: string;
let owner: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  accountId = pair.accountId;
  pairId = pair.ownerId;
  owner = await console_.addMember(pairId, 'owner');
});
afterAll(() => console_.close());

const WISH = { deviceName: 'atelier on ada-laptop', scopes: ['generate', 'account'], monthlySpendCapCoins: 500 };

async function start(wish: object = WISH): Promise<{ userCode: string; deviceSecret: string; pairUrl: string }> {
  // The counters of other tests do not matter here.
  await pool.query('DELETE FROM throttle');
  const answer = await console_.call('POST /api/pairings', { json: wish });
  expect(answer.statusCode, answer.payload).toBe(201);
  return answer.json();
}

const redeem = (deviceSecret: string) => console_.call('POST /api/pairings/redeem', { json: { deviceSecret } });
const find = (userCode: string, { cookie }: TestPerson) =>
  console_.call('POST /api/pairings/find', { cookie, json: { userCode } });
const deny = (userCode: string, { cookie }: TestPerson) =>
  console_.call('POST /api/pairings/deny', { cookie, json: { userCode } });
const approve = (userCode: string, { cookie }: TestPerson, monthlySpendCapCoins: number | null = 200) =>
  console_.call(`POST /api/accounts/${accountId}/pairings/approve`, {
    cookie,
    json: { userCode, monthlySpendCapCoins },
  });

const countKeys = async () => Number((await pool.query('SELECT count(*) FROM api_key')).rows[0].count);

test('an approved device gets a working key once, with the cap that the person chose', async () => {
  const { userCode, deviceSecret, pairUrl } = await start();
  expect(userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
  expect(pairUrl).toBe('https://console.example.com/pair');
  expect((await redeem(deviceSecret)).json()).toEqual({ status: 'pending' });

  const shown = await find(` ${userCode.toLowerCase().replace('-', ' ')}`, owner);
  expect(shown.json() as Pairing).toMatchObject({ ...WISH, userCode });
  expect(shown.payload).not.toContain(deviceSecret);
  expect((await approve(userCode, owner)).json()).toMatchObject({ monthlySpendCapCoins: 200 });
  // It can be neither shown nor decided again.
  for (const again of [find(userCode, owner), deny(userCode, owner), approve(userCode, owner)]) {
    expect((await again).json()).toMatchObject({ status: 404, code: 'not_found' });
  }

  const before = await countKeys();
  const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(deviceSecret)));
  const given = answers.filter(({ statusCode }) => statusCode === 200);
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 404, 404, 404, 404]);
  expect(await countKeys()).toBe(before + 1);
  const paired = given[0]!.json() as RedeemedPairing & { status: 'approved' };
  expect(paired).toMatchObject({
    status: 'approved',
    apiUrl: console_.services.publicUrl,
    key: { name: WISH.deviceName, scopes: WISH.scopes, monthlySpendCapCoins: 200, mode: 'live' },
  });
  const headers = { authorization: `Bearer ${paired.secret}` };
  const account = await send(console_.publicApp, 'GET /v1/account', { headers });
  expect(account.json()).toMatchObject({ key: { id: paired.key.id, monthlySpendCapCoins: 200 } });
  const audit = await pool.query("SELECT actor FROM audit_log WHERE action = 'key.created' AND detail->>'keyId' = $1", [
    paired.key.id,
  ]);
  expect(audit.rows).toEqual([{ actor: `person ${owner.personId}` }]);
});

test('the database has neither the secret of a device nor a key before it is asked for', async () => {
  const { userCode, deviceSecret } = await start();
  const before = await countKeys();
  await approve(userCode, owner);
  expect(await countKeys()).toBe(before);
  const { rows } = await pool.query("SELECT p::text || encode(p.secret_hash, 'escape') AS text FROM pairing p");
  for (const { text } of rows) expect(text).not.toContain(deviceSecret);
});

test('a denied device gets no key', async () => {
  const { userCode, deviceSecret } = await start();
  expect((await deny(userCode, owner)).statusCode).toBe(200);
  expect((await redeem(deviceSecret)).json()).toEqual({ status: 'denied' });
  expect((await approve(userCode, owner)).statusCode).toBe(404);
});

test('whoever lost the role after the approval gives no key', async () => {
  const before = await countKeys();
  for (const role of ['viewer', null] as readonly (Role | null)[]) {
    const developer = await console_.addMember(pairId, 'developer');
    const { userCode, deviceSecret } = await start();
    expect((await approve(userCode, developer)).statusCode).toBe(200);
    if (role === null) await pool.query('DELETE FROM membership WHERE person_id = $1', [developer.personId]);
    else await pool.query('UPDATE membership SET role = $2 WHERE person_id = $1', [developer.personId, role]);
    expect((await redeem(deviceSecret)).json()).toEqual({ status: 'denied' });
    expect((await redeem(deviceSecret)).statusCode).toBe(404);
  }
  expect(await countKeys()).toBe(before);
});

test('a pairing ends after ten minutes, also an approved one, and is deleted', async () => {
  const waiting = await start();
  const approved = await start();
  await approve(approved.userCode, owner);
  const { rows } = await pool.query('SELECT extract(epoch FROM expires_at - created_at)::int AS life FROM pairing');
  expect(new Set(rows.map(({ life }) => life))).toEqual(new Set([600]));
  await pool.query("UPDATE pairing SET expires_at = now() - interval '1 second'");
  expect((await find(waiting.userCode, owner)).statusCode).toBe(404);
  expect((await approve(waiting.userCode, owner)).statusCode).toBe(404);
  expect((await redeem(waiting.deviceSecret)).statusCode).toBe(404);
  expect((await redeem(approved.deviceSecret)).statusCode).toBe(404);
  await sweepPeople(console_.services, new AbortController().signal);
  expect((await pool.query('SELECT FROM pairing')).rowCount).toBe(0);
});

test.each([
  ['lines', 'laptop\nApproved by support'],
  ['a change of direction', 'laptop \u202egnol'],
  ['spaces only', '   '],
])('a name with %s is refused', async (_what, deviceName) => {
  await pool.query('DELETE FROM throttle');
  const answer = await console_.call('POST /api/pairings', { json: { ...WISH, deviceName } });
  expect(answer.json()).toMatchObject({ status: 400, code: 'invalid_params' });
});

test('a page of another site can neither start a pairing nor take its key', async () => {
  const { deviceSecret } = await start();
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  for (const [operation, json] of [
    ['POST /api/pairings', WISH],
    ['POST /api/pairings/redeem', { deviceSecret }],
  ] as const) {
    expect((await console_.call(operation, { json, headers })).json()).toMatchObject({ code: 'cross_site_request' });
  }
});

test('new pairings, questions and codes are limited', async () => {
  const { deviceSecret } = await start();
  const refusedAfter = async (ask: () => ReturnType<typeof redeem>, most: number) => {
    for (let n = 1; n <= most + 1; n += 1) {
      const answer = await ask();
      if (answer.statusCode !== 429) continue;
      expect(answer.json()).toMatchObject({ code: 'rate_limited' });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      return n - 1;
    }
    return null;
  };
  // One was started above.
  expect(await refusedAfter(() => console_.call('POST /api/pairings', { json: WISH }), 40)).toBe(29);
  expect(await refusedAfter(() => redeem(deviceSecret), 40)).toBe(30);
  const guesser = await console_.addMember(pairId, 'developer');
  let n = 0;
  const guess = () => {
    n += 1;
    return n % 2 === 0 ? find('BCDF-GHJK', guesser) : approve('BCDF-GHJK', guesser);
  };
  expect(await refusedAfter(guess, 40)).toBe(30);
  expect((await find('BCDF-GHJK', owner)).statusCode).toBe(404);
});
