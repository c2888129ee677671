import { consoleOperations, ROLES } from '@atelier/contract/console';
import { type DeskOperationId, type DeskOperationRow, deskExamples, deskOperations } from '@atelier/contract/desk';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { setOperator } from '../../domain/people/operators.ts';
import { createTestConsole, send, type TestConsole, type TestPerson } from '../console/testing/create-test-console.ts';

const database = await openTestDatabase();
let console_: TestConsole;
let operator: TestPerson;
let accountId: string;
const others: Array<[string, TestPerson]> = [];

beforeAll(async () => {
  console_ = await createTestConsole(database);
  operator = await console_.addOperator();
  const pair = await console_.addPair();
  accountId = pair.accountId;
  for (const role of ROLES) others.push([role, await console_.addMember(pair.ownerId, role)]);
  others.push(['a person without an account', await console_.addPerson()]);
});
afterAll(() => console_.close());

const rows = Object.entries(deskOperations) as Array<[DeskOperationId, DeskOperationRow]>;
const fill = (path: string) =>
  path.replaceAll(
    /\{(\w+)\}/g,
    (_all, name: string) => ({ accountId, modelId: 'canvas', channel: 'mcp' })[name] ?? name,
  );

async function ask(id: DeskOperationId, person: TestPerson | null, headers: Record<string, string | null> = {}) {
  const row: DeskOperationRow = deskOperations[id];
  const { body } = deskExamples[id] as { body?: { costs?: object; price?: object } };
  const answer = await console_.callDesk(`${row.method} ${fill(row.path)}`, {
    ...(person === null ? {} : { cookie: person.cookie }),
    ...(row.method === 'GET' ? {} : { json: body ?? {} }),
    headers,
  });
  return { status: answer.statusCode, code: (answer.json() as { code?: string }).code, text: answer.payload };
}

const readAudit = async () =>
  (await database.owner.pool.query('SELECT actor, action, detail FROM audit_log ORDER BY id')).rows;

describe('operations of the desk', () => {
  test.each(rows)('%s', async (id, row) => {
    const before = (await readAudit()).length;
    for (const [role, person] of others) {
      const { status, code } = await ask(id, person);
      expect({ role, status, code }).toEqual({ role, status: 403, code: 'role_required' });
    }
    expect(await ask(id, null)).toMatchObject({ status: 401, code: 'sign_in_required' });
    if (row.method !== 'GET') {
      const crossSite = await ask(id, operator, { 'sec-fetch-site': 'cross-site' });
      expect(crossSite).toMatchObject({ status: 403, code: 'cross_site_request' });
    }
    if (row.fresh === true) {
      operator.signIn(16);
      expect(await ask(id, operator)).toMatchObject({ status: 403, code: 'reauthentication_required' });
      operator.signIn(0);
    }
    expect((await readAudit()).length).toBe(before);
    const { status, text } = await ask(id, operator);
    expect(status, text).toBe(row.status);
    const added = (await readAudit()).slice(before);
    if (row.personal === true) {
      const read = { actor: `person ${operator.personId}`, action: 'desk.read', detail: { operation: id } };
      return expect(added).toEqual([read]);
    }
    if (row.method === 'GET' || id === 'tryPrice') return expect(added).toEqual([]);
    const { body } = deskExamples[id] as { body: { reason: string } };
    expect(added).toEqual([
      expect.objectContaining({
        actor: `person ${operator.personId}`,
        detail: expect.objectContaining({ reason: body.reason }),
      }),
    ]);
  });

  test('reads of the data of customers are recorded', () => {
    const recorded = rows.filter(([, row]) => row.personal === true).map(([id]) => id);
    expect(recorded.sort()).toEqual(['findRequest', 'getDeskAccount', 'listFailures', 'searchAccounts']);
  });

  test.each(['checkout/', 'move/'])('a reference that begins with %s is refused', async (prefix) => {
    const { accountId } = await console_.addPair();
    for (const what of ['grant', 'adjust']) {
      const answer = await console_.callDesk(`POST /api/desk/accounts/${accountId}/${what}`, {
        cookie: operator.cookie,
        json: { coins: 5, reason: 'x', reference: `${prefix}${accountId}` },
      });
      expect(answer.json()).toMatchObject({ code: 'invalid_params', detail: expect.stringContaining(prefix) });
    }
  });

  test('an operator who is removed has no access from then on', async () => {
    const person = await console_.addOperator();
    expect((await ask('getOverview', person)).status).toBe(200);
    await setOperator(database, { personId: person.personId, operator: false, actor: 'test' });
    expect(await ask('getOverview', person)).toMatchObject({ status: 403, code: 'role_required' });
  });

  test('the session of the desk names the operator and no account', async () => {
    const answer = await console_.callDesk('GET /api/session', { cookie: operator.cookie });
    expect(answer.json()).toMatchObject({ person: { id: operator.personId }, memberships: [] });
    const member = others[0]![1];
    expect((await console_.callDesk('GET /api/session', { cookie: member.cookie })).statusCode).toBe(403);
  });
});

describe('route inventory', () => {
  const has = (app: FastifyInstance, { method, path }: { method: string; path: string }) =>
    app.hasRoute({ method: method as HTTPMethods, url: path.replaceAll(/\{(\w+)\}/g, ':$1') });

  test('nothing of the desk is on the listener of the API or of the console', async () => {
    for (const [, row] of rows) {
      expect(has(console_.deskApp, row), row.path).toBe(true);
      for (const app of [console_.app, console_.publicApp]) {
        expect(has(app, row), row.path).toBe(false);
        const answer = await send(app, `${row.method} ${fill(row.path)}`, { cookie: operator.cookie, json: {} });
        expect([answer.statusCode, answer.json().code], row.path).toEqual([404, 'not_found']);
      }
    }
  });

  test('of the console and the API, the desk has the session alone', async () => {
    for (const row of Object.values(consoleOperations)) {
      expect(has(console_.deskApp, row), row.path).toBe(row.path === '/api/session');
    }
    for (const path of ['/v1/models', `/api/accounts/${accountId}/keys`, `/api/accounts/${accountId}/v1/account`]) {
      expect((await console_.callDesk(`GET ${path}`, { cookie: operator.cookie })).statusCode, path).toBe(404);
    }
  });

  test('the policy of the desk loads media from nowhere', async () => {
    const { headers } = await console_.callDesk('GET /healthz');
    expect(headers['content-security-policy']).toContain("img-src 'self'; media-src 'none'");
  });
});
