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
import { deskExamples, deskOperations } from '@atelier/contract/desk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { createBudget } from '../../domain/budgets/budgets.ts';
import { createMoneyPath } from '../../domain/generations/testing/create-money-path.ts';
import { createCheckout } from '../../domain/payments/checkouts.ts';
import { createInvitation } from '../../domain/people/invitations.ts';
import { sendTestEvent } from '../../domain/webhooks/deliveries/send-test-event.ts';
import { createEndpoint } from '../../domain/webhooks/endpoints/create-endpoint.ts';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { createTestConsole, type TestConsole, type TestPerson } from './testing/create-test-console.ts';

const database = await openTestDatabase();
const { db, owner } = database;
const ENDPOINT_URL = 'http://127.0.0.1:9/hook';
let console_: TestConsole;
let own: { accountId: string; ownerId: string };
let foreign: { accountId: string; ownerId: string };
const members = new Map<Role, TestPerson>();
/** What the other account has, by the name of its param. */
const objects: Record<string, string> = {};

/** The object that `{id}` of an operation of the public API names; null for what belongs to nobody. */
const API_OBJECTS: ReadonlyArray<readonly [start: string, object: string | null]> = [
  ['/v1/models/', null],
  ['/v1/generations/', 'generationId'],
  ['/v1/uploads/resumable/', 'uploadId'],
  ['/v1/assets/', 'assetId'],
];

beforeAll(async () => {
  console_ = await createTestConsole(database);
  const { services } = console_;
  own = await console_.addPair();
  foreign = await console_.addPair();
  for (const role of ROLES) members.set(role, await console_.addMember(own.ownerId, role));
  const { accountId } = foreign;
  const actor = 'test';
  const key = await withTx(db, (tx) => createApiKey(tx, 'c1', { accountId, name: 'k', scopes: ['read'] }));
  const endpoint = await withTx(db, (tx) =>
    createEndpoint(tx, services, { accountId, url: ENDPOINT_URL, events: ['generation.succeeded'] }),
  );
  const event = { accountId, endpointId: endpoint.id, type: 'generation.succeeded', actor } as const;
  const invitation = { accountId, email: 'x@example.com', role: 'viewer', invitedBy: null, actor } as const;
  const order = { accountId, packageId: '1000-1000', actor, email: 'ada@example.com' };
  const budget = { accountId, projectId: 'p', coins: 100, alertPercents: [100], actor };
  const [assetId, uploadId] = [newId(), newId()];
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants, expires_at)
     VALUES ($1, $2, 'upload', 'image', 'image/png', 1, decode(repeat('00', 32), 'hex'), 'k', '{}', now() + interval '1 day')`,
    [assetId, accountId],
  );
  await owner.pool.query(
    `INSERT INTO resumable_upload (id, account_id, bytes, expires_at) VALUES ($1, $2, 5, now() + interval '1 day')`,
    [uploadId, accountId],
  );
  Object.assign(objects, {
    keyId: key.id,
    endpointId: endpoint.id,
    deliveryId: (await sendTestEvent(services, event)).deliveryId,
    personId: (await console_.addMember(foreign.ownerId, 'owner')).personId,
    invitationId: (await createInvitation(services, invitation)).id,
    checkoutId: (await createCheckout(services, order)).id,
    budgetId: (await createBudget(services, budget)).id,
    generationId: await createMoneyPath(database).begin({ accountId, keyId: key.id }, { coins: 7 }),
    assetId,
    uploadId,
  });
});
afterAll(async () => {
  await createMoneyPath(database).cancel({ ...foreign, keyId: '' }, objects.generationId as string);
  await console_.close();
});

const TABLES = [
  'api_key',
  'webhook_endpoint',
  'delivery',
  'checkout',
  'budget',
  'generation',
  'asset',
  'resumable_upload',
];

/** Everything of the other account. */
async function describeForeign(): Promise<string> {
  const { rows } = await owner.pool.query(
    `SELECT string_agg(said, E'\\n' ORDER BY said) AS said FROM (
       ${TABLES.map((table) => `SELECT to_jsonb(t)::text AS said FROM ${table} t WHERE account_id = $1`).join(' UNION ALL ')}
       UNION ALL SELECT to_jsonb(a)::text FROM account a WHERE id = $1
       UNION ALL SELECT to_jsonb(i)::text FROM invitation i WHERE pair_id = $2
       UNION ALL SELECT to_jsonb(m)::text FROM membership m WHERE pair_id = $2) s`,
    [foreign.accountId, foreign.ownerId],
  );
  return rows[0].said;
}

interface Cell {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly allowed: readonly Role[];
  /** Names of params that are objects of an account. */
  readonly objects: readonly string[];
  readonly body: unknown;
  readonly query: string;
  /** The body is bytes of a file. */
  readonly raw: boolean;
  /** A stream stays open, so only its head is asked for: it has no body that tells the code. */
  readonly headOnly: boolean;
}

const NAMED = (path: string) => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);

function listCells(): Cell[] {
  const cells: Cell[] = [];
  for (const [id, row] of Object.entries(consoleOperations) as Array<[ConsoleOperationId, ConsoleOperationRow]>) {
    if (row.roles === null) continue;
    const example = consoleExamples[id] as { body?: object; query?: Record<string, string> };
    const body = 'url' in (example.body ?? {}) ? { ...example.body, url: ENDPOINT_URL } : example.body;
    cells.push({
      operation: id,
      method: row.method,
      path: row.path,
      allowed: row.roles,
      objects: NAMED(row.path).filter((name) => name !== 'accountId'),
      body: row.method === 'GET' ? undefined : body,
      query: example.query === undefined ? '' : `?${new URLSearchParams(example.query)}`,
      raw: false,
      headOnly: false,
    });
  }
  for (const [id, row] of Object.entries(operations) as Array<[OperationId, OperationRow]>) {
    const rule = API_OBJECTS.find(([start]) => row.path.startsWith(start));
    if (row.path.includes('{') && rule === undefined) throw new Error(`${id}: whose object is in ${row.path}?`);
    const object = row.path.includes('{') ? (rule?.[1] ?? null) : null;
    cells.push({
      operation: id,
      method: row.stream === true ? 'HEAD' : row.method,
      path: sessionPath(object === null ? row.path : row.path.replace('{id}', `{${object}}`)),
      allowed: SCOPE_ROLES[row.scope ?? 'read'],
      objects: object === null ? [] : [object],
      body: row.method === 'GET' ? undefined : {},
      query: row.raw === true ? '?offset=0' : '',
      raw: row.raw === true,
      headOnly: row.stream === true,
    });
  }
  return cells;
}

test('role x operation x foreign object: every cell is refused and changes nothing', async () => {
  const before = await describeForeign();
  const wrong: object[] = [];
  let count = 0;
  const check = async (cell: Cell, role: Role, accountId: string, expected: { status: number; code: string }) => {
    count += 1;
    const params: Record<string, string> = { ...objects, accountId, id: 'canvas' };
    const path = cell.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? 'no rule');
    const answer = await console_.call(`${cell.method} ${path}${cell.query}`, {
      cookie: (members.get(role) as TestPerson).cookie,
      ...(cell.body === undefined || cell.raw ? {} : { json: cell.body }),
      ...(cell.raw ? { body: Buffer.from('x'), headers: { 'content-type': 'application/octet-stream' } } : {}),
    });
    const code = cell.headOnly || answer.payload === '' ? null : (answer.json() as { code?: string }).code;
    const seen = { status: answer.statusCode, code };
    const right = seen.status === expected.status && (cell.headOnly || seen.code === expected.code);
    if (!right)
      wrong.push({ operation: cell.operation, role, accountId: accountId === own.accountId ? 'own' : 'foreign', seen });
  };
  for (const cell of listCells()) {
    // A param that no rule names would be tried with nothing.
    expect({ operation: cell.operation, unknown: cell.objects.filter((name) => !(name in objects)) }).toEqual({
      operation: cell.operation,
      unknown: [],
    });
    for (const role of ROLES) {
      const hidden = { status: 404, code: 'not_found' };
      await check(cell, role, foreign.accountId, hidden);
      const allowed = cell.allowed.includes(role);
      if (cell.objects.length > 0) {
        await check(cell, role, own.accountId, allowed ? hidden : { status: 403, code: 'role_required' });
      }
    }
  }
  // The desk knows no members.
  for (const [id, row] of Object.entries(deskOperations)) {
    for (const role of ROLES) {
      count += 1;
      const { body } = deskExamples[id as keyof typeof deskExamples] as { body?: object };
      const path = row.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
        name === 'accountId' ? foreign.accountId : 'api',
      );
      const answer = await console_.callDesk(`${row.method} ${path}`, {
        cookie: (members.get(role) as TestPerson).cookie,
        ...(body === undefined ? {} : { json: body }),
      });
      if (answer.statusCode !== 403) wrong.push({ operation: id, role, status: answer.statusCode });
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(400);
  expect(await describeForeign()).toBe(before);
});
