import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { listMembers } from '../../domain/people/memberships.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import { createLog } from '../../platform/log.ts';
import { commands } from '../commands.ts';
import { readConfig } from '../config/config.ts';
import { createFirstUser } from '../create-first-user.ts';
import { openIdentity } from '../open-identity.ts';

const PASSWORD = 'correct horse battery';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const { url, db, owner } = await openTestDatabase();
const env = {
  DATABASE_URL: url,
  REDIS_URL: 'redis://127.0.0.1:1',
  MASTER_KEY: randomBytes(32).toString('base64'),
  CONSOLE_URL: 'http://localhost:8083',
  LOG_LEVEL: 'silent',
};
const config = readConfig(env);

let stderr: MockInstance<typeof console.error>;
let stdout: MockInstance<typeof console.log>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
  stdout = vi.spyOn(console, 'log').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

async function run(line: string) {
  stdout.mockClear();
  stderr.mockClear();
  const code = await commands.people!.run(config, line.split(' '));
  const printed = stdout.mock.calls.flat().join('\n');
  return {
    code,
    said: stderr.mock.calls.flat().join('\n'),
    result: printed.startsWith('{') ? JSON.parse(printed) : null,
  };
}

async function withSignIn<T>(
  work: (post: (path: string, body: object) => Promise<Response>) => Promise<T>,
): Promise<T> {
  const log = createLog({ level: 'silent' });
  const { identity, close } = await openIdentity(config, { db, keys: createKeyRing(config.masterKeys), log });
  const post = (path: string, body: object) =>
    identity.handle(
      new Request(`http://localhost:8083/api/auth${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'http://localhost:8083' },
        body: JSON.stringify(body),
      }),
      { address: '192.0.2.7' },
    );
  try {
    return await work(post);
  } finally {
    await close();
  }
}

test('a created person chooses a password with the printed link, once, and owns a pair of accounts', async () => {
  const { code, result } = await run('create --email Owner@Example.com --role owner --json');
  expect(code).toBe(0);
  expect(result).toMatchObject({ role: 'owner', accountId: expect.any(String), testAccountId: expect.any(String) });
  const link = new URL(result.link);
  expect(`${link.origin}${link.pathname}`).toBe('http://localhost:8083/reset-password');
  const token = link.searchParams.get('token');
  await withSignIn(async (post) => {
    expect((await post('/reset-password', { token, newPassword: PASSWORD })).status).toBe(200);
    expect((await post('/reset-password', { token, newPassword: PASSWORD })).status).toBe(400);
    expect((await post('/sign-in/email', { email: 'owner@example.com', password: PASSWORD })).status).toBe(200);
  });
  expect(await listMembers({ db }, result.accountId)).toMatchObject([{ email: 'owner@example.com', role: 'owner' }]);
  expect(await run('create --email owner@example.com')).toMatchObject({
    code: 1,
    said: 'There is already a person with this address.',
  });
});

test('a password comes from the standard input, and is in no row and no output', async () => {
  const { result: first } = await run('create --email first@example.com --json');
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([`${PASSWORD}\n`]) as typeof process.stdin);
  const { code, result } = await run(
    `create --email viewer@example.com --role viewer --account ${first.accountId} --password-stdin --json`,
  );
  expect(code).toBe(0);
  expect(result).toEqual({ personId: expect.any(String), role: 'viewer', accountId: first.accountId });
  await withSignIn(async (post) => {
    expect((await post('/sign-in/email', { email: 'viewer@example.com', password: PASSWORD })).status).toBe(200);
  });
  const { rows } = await owner.pool.query(
    'SELECT count(*)::int AS n FROM account WHERE owner_id IN (SELECT pair_id FROM membership WHERE person_id = $1)',
    [result.personId],
  );
  expect(rows).toEqual([{ n: 2 }]);
});

test('members change roles and leave, an owner stays, and a deleted person cannot sign in', async () => {
  const { result } = await run('create --email boss@example.com --json');
  const of = `--account ${result.accountId}`;
  await run(`create --email dev@example.com --role developer ${of}`);
  expect((await run(`role --email boss@example.com --role viewer ${of}`)).said).toContain('only owner');
  expect((await run('delete --email boss@example.com --yes')).said).toContain('only owner of account');
  expect((await run(`role --email dev@example.com --role owner ${of}`)).code).toBe(0);
  expect((await run(`remove --email boss@example.com ${of}`)).code).toBe(0);
  expect((await run('delete --email boss@example.com --yes')).code).toBe(0);
  expect((await run('link --email boss@example.com')).said).toBe('There is no such person.');
  expect((await listMembers({ db }, result.accountId)).map((each) => each.email)).toEqual(['dev@example.com']);
});

test.each([
  ['create', '--email is required'],
  ['create --email nobody', '--email must be an email address'],
  ['create --email a@example.com --role king', '--role must be one of owner'],
  ['create --email a@example.com --role viewer', '--role needs --account'],
  [`invite --account ${UNKNOWN} --email a@example.com`, '--role is required'],
  ['delete --email a@example.com', 'Add --yes to confirm it'],
])('arguments are validated, and nothing changes: %s', async (line, message) => {
  const count = async () => (await owner.pool.query('SELECT count(*)::int AS n FROM person')).rows[0].n;
  const before = await count();
  const { code, said } = await run(line);
  expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(message) });
  expect(await count()).toBe(before);
});

test.each([
  `create --email z@example.com --account ${UNKNOWN}`,
  `members --account ${UNKNOWN}`,
  `invite --account ${UNKNOWN} --email z@example.com --role viewer`,
  'link --email z@example.com',
])('an unknown resource is refused in one line: %s', async (line) => {
  expect(await run(line)).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^There is no such (account|person)\.$/),
  });
});

test('the first person of the environment is created once, and a later start changes nothing', async () => {
  const services = { db, keys: createKeyRing(config.masterKeys), log: createLog({ level: 'silent' }) };
  const first = readConfig({ ...env, FIRST_USER_EMAIL: 'First.User@example.com', FIRST_USER_PASSWORD: PASSWORD });
  const { identity, close } = await openIdentity(first, services);
  await createFirstUser(first, services, identity);
  await createFirstUser(
    {
      ...first,
      signIn: {
        ...first.signIn,
        firstUser: { email: 'first.user@example.com', password: 'x'.repeat(20), isOperator: true },
      },
    },
    services,
    identity,
  );
  await close();
  await withSignIn(async (post) => {
    expect((await post('/sign-in/email', { email: 'first.user@example.com', password: PASSWORD })).status).toBe(200);
  });
  expect(() => readConfig({ ...env, FIRST_USER_EMAIL: 'a@example.com' })).toThrow('FIRST_USER_PASSWORD');
});
