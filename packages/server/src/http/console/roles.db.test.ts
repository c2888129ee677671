import { type OperationId, type OperationRow, operations } from '@atelier/contract';
import {
  type ConsoleOperationId,
  type ConsoleOperationRow,
  consoleExamples,
  consoleOperations,
  ROLES,
  type Role,
  SCOPE_ROLES,
  sessionPath,
} from '@atelier/contract/console';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { registerProgram } from '../../domain/accounts/authorizations/program.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { createBudget } from '../../domain/budgets/budgets.ts';
import { createCheckout } from '../../domain/payments/checkouts.ts';
import { createInvitation } from '../../domain/people/invitations.ts';
import { createPairing } from '../../domain/people/pairings.ts';
import { sendTestEvent } from '../../domain/webhooks/deliveries/send-test-event.ts';
import { createEndpoint } from '../../domain/webhooks/endpoints/create-endpoint.ts';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { createTestConsole, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
const { db } = database;
const PROGRAM = { name: 'Agent', redirectUris: ['http://127.0.0.1:33418/callback'] };
const URL_OF_ENDPOINT = 'http://127.0.0.1:9/hook';

let console_: TestConsole;
let accountId: string;
let pairId: string;
const members = new Map<Role, TestPerson>();
let stranger: TestPerson;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const pair = await console_.addPair();
  accountId = pair.accountId;
  pairId = pair.ownerId;
  for (const role of ROLES) members.set(role, await console_.addMember(pair.ownerId, role));
  const other = await console_.addPair();
  stranger = await console_.addMember(other.ownerId, 'owner');
});
afterAll(() => console_.close());

/** New rows for each call, so that one call does not affect the next. */
async function makeParams(): Promise<Record<string, string>> {
  const { services } = console_;
  const { id: keyId } = await withTx(db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'k', scopes: ['read'] }));
  const { id: endpointId } = await withTx(db, (tx) =>
    createEndpoint(tx, services, { accountId, url: URL_OF_ENDPOINT, events: ['generation.succeeded'] }),
  );
  const event = { accountId, endpointId, type: 'generation.succeeded', actor: 'test' } as const;
  const { deliveryId } = await sendTestEvent(services, event);
  const { personId } = await console_.addMember(pairId, 'viewer');
  const invitation = {
    accountId,
    email: `${newId()}@example.com`,
    role: 'viewer',
    invitedBy: null,
    actor: 'test',
  } as const;
  const { id: invitationId } = await createInvitation(services, invitation);
  const { id: checkoutId } = await createCheckout(services, {
    accountId,
    packageId: '1000-1000',
    actor: 'test',
    email: 'ada@example.com',
  });
  const budget = { accountId, projectId: newId(), coins: 100, alertPercents: [100], actor: 'test' };
  const { id: budgetId } = await createBudget(services, budget);
  return { budgetId, checkoutId, accountId, keyId, endpointId, deliveryId, personId, invitationId, id: newId() };
}

/** An invitation to another account, sent to the address of this person. */
async function inviteElsewhere({ personId }: TestPerson): Promise<string> {
  const pair = await console_.addPair();
  const email = `${personId}@example.com`;
  const invitation = { accountId: pair.accountId, email, role: 'viewer', invitedBy: null, actor: 'test' } as const;
  return (await createInvitation(console_.services, invitation)).token;
}

/** The body of an operation, with the code or the secret of a new pairing. */
async function askAgain(id: string, body: object | undefined): Promise<object> {
  const wish = { deviceName: 'laptop', scopes: ['read'], monthlyCap: null, network: newId() } as const;
  const { userCode, deviceSecret } = await createPairing(console_.services, wish);
  return id === 'redeemPairing' ? { deviceSecret } : { ...body, userCode };
}

const fill = (path: string, params: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] as string);

async function cleanUp(): Promise<void> {
  await database.owner.pool.query("UPDATE webhook_endpoint SET status = 'deleted' WHERE account_id = $1", [accountId]);
  await database.owner.pool.query('DELETE FROM checkout WHERE account_id = $1', [accountId]);
  await database.owner.pool.query('DELETE FROM budget WHERE account_id = $1', [accountId]);
  await database.owner.pool.query('DELETE FROM invitation WHERE pair_id = $1', [pairId]);
  const kept = [...members.values()].map(({ personId }) => personId);
  await database.owner.pool.query('DELETE FROM membership WHERE pair_id = $1 AND person_id <> ALL ($2)', [
    pairId,
    kept,
  ]);
}

describe('operations of the console', () => {
  const rows = Object.entries(consoleOperations) as Array<[ConsoleOperationId, ConsoleOperationRow]>;

  test.each(rows)('%s', async (id, row) => {
    const example = consoleExamples[id] as { body?: object; query?: Record<string, string> };
    const json =
      row.method === 'GET'
        ? undefined
        : id === 'createEndpoint'
          ? { ...example.body, url: URL_OF_ENDPOINT }
          : id === 'createKey'
            ? { ...example.body, expiresAt: null }
            : example.body;
    // The example names a program that no key of this test has signed.
    const program = { clientId: registerProgram(console_.services, PROGRAM), redirectUri: PROGRAM.redirectUris[0]! };
    const ask = async (person: TestPerson | null, change: Record<string, string> = {}) => {
      const body =
        id === 'acceptInvitation' && person !== null
          ? { token: await inviteElsewhere(person) }
          : id === 'createAuthorization'
            ? { ...json, ...program }
            : id.endsWith('Pairing') && id !== 'createPairing'
              ? await askAgain(id, json)
              : json;
      const asked = id === 'getProgram' ? program : example.query;
      const query = asked === undefined ? '' : `?${new URLSearchParams(asked)}`;
      const url = fill(row.path, { ...(await makeParams()), ...change }) + query;
      const answer = await console_.call(`${row.method} ${url}`, {
        ...(person === null ? {} : { cookie: person.cookie }),
        ...(body === undefined ? {} : { json: body }),
      });
      await cleanUp();
      const code = row.file === true && answer.statusCode === 200 ? null : codeOf(answer.payload);
      return { status: answer.statusCode, code, text: answer.payload };
    };
    for (const [role, person] of members) {
      const { status, code, text } = await ask(person);
      if (row.roles === null || row.roles.includes(role))
        expect({ role, status }, text).toEqual({ role, status: row.status });
      else expect({ role, status, code }).toEqual({ role, status: 403, code: 'role_required' });
    }
    if (row.public === true) expect(await ask(null)).toMatchObject({ status: row.status });
    else expect(await ask(null)).toMatchObject({ status: 401, code: 'sign_in_required' });
    if (row.roles === null) return;
    // The same answer whether the account exists or not.
    const hidden = await ask(stranger);
    expect(hidden).toMatchObject({ status: 404, code: 'not_found' });
    const missing = await ask(stranger, { accountId: newId() });
    const withoutInstance = (text: string) => text.replace(/"instance":"[^"]*"/, '');
    expect(withoutInstance(missing.text)).toBe(withoutInstance(hidden.text));
    expect(await ask(stranger, { accountId: 'not-an-id' })).toMatchObject({ status: 404, code: 'not_found' });
    if (row.fresh !== true) return;
    const someone = members.get(row.roles[0] as Role) as TestPerson;
    someone.signIn(16);
    expect(await ask(someone)).toMatchObject({ status: 403, code: 'reauthentication_required' });
    someone.signIn(14);
    expect((await ask(someone)).status).toBe(row.status);
    someone.signIn(0);
  });
});

describe('operations of the public API for sessions', () => {
  const rows = Object.entries(operations) as Array<[OperationId, OperationRow]>;

  test.each(rows)('%s', async (_id, row) => {
    const url = fill(sessionPath(row.path, accountId), { id: newId() }) + (row.raw === true ? '?offset=0' : '');
    const ask = async (person: TestPerson | null, account = accountId) => {
      // A stream stays open, so only its head is asked for.
      const method = row.stream === true ? 'HEAD' : row.method;
      const answer = await console_.call(`${method} ${url.replace(accountId, account)}`, {
        ...(person === null ? {} : { cookie: person.cookie }),
        ...(row.method === 'GET' ? {} : { json: {} }),
      });
      return { status: answer.statusCode, code: codeOf(answer.payload) };
    };
    const allowed: readonly Role[] = SCOPE_ROLES[row.scope ?? 'read'];
    for (const [role, person] of members) {
      const { status, code } = await ask(person);
      // Past the guards the operation answers, if only that the sample request is not valid or finds nothing.
      if (allowed.includes(role)) {
        expect(['role_required', 'sign_in_required', 'cross_site_request', 'insufficient_scope']).not.toContain(code);
        expect(status).toBeLessThan(500);
      } else expect({ role, status, code }).toEqual({ role, status: 403, code: 'role_required' });
    }
    const coded = (code: string, status: number) => ({ status, code: row.stream === true ? null : code });
    expect(await ask(null)).toEqual(coded('sign_in_required', 401));
    expect(await ask(stranger)).toEqual(coded('not_found', 404));
    expect(await ask(stranger, newId())).toEqual(coded('not_found', 404));
  });

  test('the account has no key and the channel is web', async () => {
    const { cookie } = members.get('viewer') as TestPerson;
    const answer = await console_.call(`GET ${sessionPath('/v1/account', accountId)}`, { cookie });
    expect(answer.json()).toMatchObject({ key: null, channel: 'web', balance: { available: 100 } });
  });

  test('a member whose membership ends has no access to the account from then on', async () => {
    const pair = await console_.addPair();
    const { cookie, personId } = await console_.addMember(pair.ownerId, 'owner');
    const path = `GET ${sessionPath('/v1/account', pair.accountId)}`;
    expect((await console_.call(path, { cookie })).statusCode).toBe(200);
    await database.owner.pool.query('DELETE FROM membership WHERE person_id = $1', [personId]);
    expect((await console_.call(path, { cookie })).statusCode).toBe(404);
  });
});

function codeOf(payload: string): string | null {
  return payload === '' ? null : ((JSON.parse(payload) as { code?: string }).code ?? null);
}
