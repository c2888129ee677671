import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../../generations/testing/create-money-path.ts';
import { holdAccountLock } from '../../generations/testing/hold-account-lock.ts';
import { listDeliveries } from '../deliveries/list-deliveries.ts';
import { verifySignature } from '../signatures/verify-signature.ts';
import { createWebhookSetup, urlPolicy, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { type Receiver, startReceiver } from '../testing/start-receiver.ts';
import { MAX_ENDPOINTS } from './create-endpoint.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { pauseEndpoint, resumeEndpoint } from './pause-endpoint.ts';
import { getEndpoint, listEndpoints } from './read-endpoints.ts';
import { rotateSecret } from './rotate-secret.ts';
import { updateEndpoint } from './update-endpoint.ts';

const database = await openTestDatabase();
const { db } = database;
const path = createMoneyPath(database);
const actor = 'tester';
let setup: WebhookSetup;
let receiver: Receiver;
let account: PathAccount;

beforeAll(async () => {
  setup = await createWebhookSetup(database);
});
beforeEach(async () => {
  receiver = await startReceiver();
  account = await path.makeAccount({ runLimit: 50 });
  return () => receiver.close();
});
afterAll(() => setup.close());

const add = (more: object = {}) =>
  setup.addEndpoint({ accountId: account.accountId, url: `${receiver.url}/hook`, actor, ...more });
const keyOf = (endpoint: { id: string }) => ({ accountId: account.accountId, endpointId: endpoint.id, actor });
const endOne = async (of: PathAccount = account) => path.finish(await path.begin(of));
const auditOf = async (endpoint: { id: string }) =>
  path.read<{ action: string; actor: string; detail: Record<string, unknown> }>(
    `SELECT action, actor, detail FROM audit_log WHERE account_id = $1 AND detail ->> 'endpointId' = $2 ORDER BY id`,
    [account.accountId, endpoint.id],
  );
const statusOf = async (endpoint: { id: string }) =>
  (await listDeliveries(setup.services, keyOf(endpoint))).map(({ status, reason }) => ({ status, reason }));
const isSignedWith = (secret: string) => {
  const last = receiver.received.at(-1)!;
  const header = String(last.headers['service-signature']);
  return verifySignature({ secret, header, body: last.body, nowSeconds: Date.now() / 1000 }).ok;
};

test('an endpoint is created, listed and read without its secret; the row stores the secret sealed', async () => {
  const first = await add();
  const second = await add({ events: ['generation.failed'], keyId: account.keyId });
  expect(first.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  const listed = await listEndpoints(setup.services, account.accountId);
  expect(listed.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(listed[1]).toMatchObject({ events: ['generation.failed'], keyId: account.keyId, status: 'active' });
  expect(JSON.stringify(listed)).not.toContain('whsec_');
  expect(await getEndpoint(setup.services, keyOf(first))).toEqual(listed[0]);
  const [row] = await path.read<{ secret_sealed: string }>('SELECT secret_sealed FROM webhook_endpoint WHERE id = $1', [
    first.id,
  ]);
  expect(row!.secret_sealed).toMatch(/^s1\./);
  expect(await auditOf(first)).toMatchObject([{ action: 'webhook.created', actor }]);
  expect(JSON.stringify(await auditOf(first))).not.toContain('whsec_');
});

test('invalid settings are refused with their path', async () => {
  const other = await path.makeAccount();
  const paths = async (more: object) =>
    add(more).then(
      () => null,
      (error) => [error.code, error.issues?.[0]?.path],
    );
  expect(await paths({ url: 'ftp://example.com' })).toEqual(['invalid_params', 'url']);
  expect(await paths({ url: 'http://169.254.169.254/latest' })).toEqual(['invalid_params', 'url']);
  expect(await paths({ events: [] })).toEqual(['invalid_params', 'events']);
  expect(await paths({ keyId: other.keyId })).toEqual(['invalid_params', 'keyId']);
  expect(await paths({ accountId: crypto.randomUUID() })).toEqual(['not_found', undefined]);
  expect(await listEndpoints(setup.services, account.accountId)).toEqual([]);
});

test(`an account has at most ${MAX_ENDPOINTS} endpoints, also when they are added concurrently`, async () => {
  const results = await Promise.allSettled(Array.from({ length: MAX_ENDPOINTS + 5 }, () => add()));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_ENDPOINTS);
  expect(await listEndpoints(setup.services, account.accountId)).toHaveLength(MAX_ENDPOINTS);
});

test("another account's endpoint is not found, for any operation", async () => {
  const endpoint = await add();
  const other = await path.makeAccount();
  const key = { accountId: other.accountId, endpointId: endpoint.id, actor };
  const attempts = [
    () => getEndpoint(setup.services, key),
    () => listDeliveries(setup.services, key),
    () => withTx(db, (tx) => updateEndpoint(tx, { urlPolicy }, { ...key, url: receiver.url })),
    () => withTx(db, (tx) => pauseEndpoint(tx, key)),
    () => withTx(db, (tx) => resumeEndpoint(tx, key)),
    () => withTx(db, (tx) => rotateSecret(tx, setup.services, key)),
    () => withTx(db, (tx) => deleteEndpoint(tx, key)),
  ];
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
});

test('an update changes only the given settings, and pending deliveries use them', async () => {
  const endpoint = await add();
  await endOne();
  const before = await getEndpoint(setup.services, keyOf(endpoint));
  const after = await withTx(db, (tx) =>
    updateEndpoint(tx, { urlPolicy }, { ...keyOf(endpoint), url: `${receiver.url}/moved` }),
  );
  expect(after).toMatchObject({ url: `${receiver.url}/moved`, events: before.events, keyId: null });
  expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime());
  await setup.work();
  expect(receiver.received.map((request) => request.path)).toEqual(['/moved']);

  await withTx(db, (tx) =>
    updateEndpoint(tx, { urlPolicy }, { ...keyOf(endpoint), events: ['generation.failed'], keyId: account.keyId }),
  );
  await endOne();
  await path.finish(await path.begin(account, { keyId: null }), { error: 'internal' });
  await path.finish(await path.begin(account), { error: 'internal' });
  await setup.work();
  expect(receiver.received.map((request) => JSON.parse(String(request.body)).type).slice(1)).toEqual([
    'generation.failed',
  ]);
  expect((await auditOf(endpoint)).map(({ action }) => action)).toEqual([
    'webhook.created',
    'webhook.updated',
    'webhook.updated',
  ]);
});

test('a pause stops pending deliveries with a reason; events while paused are held; resuming sends only new ones', async () => {
  const endpoint = await add();
  await endOne();
  const paused = await withTx(db, (tx) => pauseEndpoint(tx, { ...keyOf(endpoint), reason: 'A rebuild.' }));
  expect(paused).toMatchObject({ status: 'paused', statusReason: 'A rebuild.' });
  await endOne();
  await setup.work();
  expect(receiver.received).toEqual([]);
  expect(await statusOf(endpoint)).toEqual([
    { status: 'held', reason: 'The endpoint is paused.' },
    { status: 'stopped', reason: 'The endpoint is paused. A rebuild.' },
  ]);
  expect(await withTx(db, (tx) => resumeEndpoint(tx, keyOf(endpoint)))).toMatchObject({
    status: 'active',
    statusReason: null,
  });
  await endOne();
  await setup.work();
  expect(receiver.received).toHaveLength(1);
  expect((await auditOf(endpoint)).map(({ action }) => action)).toEqual([
    'webhook.created',
    'webhook.paused',
    'webhook.resumed',
  ]);
});

test('an attempt in flight when its endpoint is paused: a success counts, a failure stays stopped', async () => {
  for (const [answer, expected] of [
    [200, 'delivered'],
    [500, 'stopped'],
  ] as const) {
    const endpoint = await add();
    receiver.answer = async (_request, response) => {
      await withTx(db, (tx) => pauseEndpoint(tx, keyOf(endpoint)));
      response.writeHead(answer).end();
    };
    await endOne();
    await setup.work();
    expect((await statusOf(endpoint)).map(({ status }) => status)).toEqual([expected]);
    await withTx(db, (tx) => deleteEndpoint(tx, keyOf(endpoint)));
  }
});

test('rotation invalidates the old secret immediately', async () => {
  const endpoint = await add();
  await endOne();
  const { secret } = await withTx(db, (tx) => rotateSecret(tx, setup.services, keyOf(endpoint)));
  await setup.work();
  expect(isSignedWith(endpoint.secret)).toBe(false);
  expect(isSignedWith(secret)).toBe(true);
  expect(JSON.stringify(await auditOf(endpoint))).not.toContain('whsec_');
});

test('a deleted endpoint gets no more events, is not listed, and has no secret', async () => {
  const endpoint = await add();
  await endOne();
  await withTx(db, (tx) => deleteEndpoint(tx, keyOf(endpoint)));
  await endOne();
  await setup.work();
  expect(receiver.received).toEqual([]);
  expect(await listEndpoints(setup.services, account.accountId)).toEqual([]);
  const rows = await path.read('SELECT status, reason FROM delivery WHERE endpoint_id = $1', [endpoint.id]);
  expect(rows).toEqual([{ status: 'stopped', reason: 'The endpoint is deleted.' }]);
  const [row] = await path.read('SELECT secret_sealed FROM webhook_endpoint WHERE id = $1', [endpoint.id]);
  expect(row).toEqual({ secret_sealed: '' });
  await expect(getEndpoint(setup.services, keyOf(endpoint))).rejects.toMatchObject({ code: 'not_found' });
});

test('the delivery log shows every attempt, newest first, filtered by status and paginated', async () => {
  const endpoint = await add();
  receiver.answer = (request, response) =>
    void response.writeHead(JSON.parse(String(request.body)).type.endsWith('failed') ? 500 : 200).end('seen');
  for (let n = 0; n < 3; n += 1) await endOne();
  await path.finish(await path.begin(account), { error: 'timeout' });
  await setup.work();
  const all = await listDeliveries(setup.services, keyOf(endpoint));
  expect(all.map(({ eventType }) => eventType)).toEqual([
    'generation.failed',
    'generation.succeeded',
    'generation.succeeded',
    'generation.succeeded',
  ]);
  expect(all[0]).toMatchObject({ status: 'pending', isTest: false, round: 1 });
  expect(all[0]!.attempts).toMatchObject([
    { round: 1, n: 1, ok: false, statusCode: 500, error: 'The endpoint answered 500.', excerpt: 'seen' },
  ]);
  const delivered = await listDeliveries(setup.services, { ...keyOf(endpoint), status: 'delivered', limit: 2 });
  const rest = await listDeliveries(setup.services, {
    ...keyOf(endpoint),
    status: 'delivered',
    limit: 2,
    beforeId: delivered.at(-1)!.id,
  });
  expect([...delivered, ...rest].map(({ id }) => id)).toEqual(all.slice(1).map(({ id }) => id));
  await expect(listDeliveries(setup.services, { ...keyOf(endpoint), limit: 101 })).rejects.toMatchObject({
    code: 'invalid_params',
  });
});

test('endpoint changes and ends of generations are serialized: each event goes to exactly the endpoints active at that time', async () => {
  const endpoint = await add();
  const ids = await Promise.all(Array.from({ length: 20 }, () => path.begin(account)));
  const done: Promise<unknown>[] = [];
  await holdAccountLock(db, {
    accountId: account.accountId,
    waiters: 12,
    start: () => {
      for (const [n, id] of ids.slice(0, 10).entries()) {
        done.push(path.take(id).then((run) => path.settle(run!)));
        if (n % 3 === 0) done.push(withTx(db, (tx) => pauseEndpoint(tx, keyOf(endpoint))));
        if (n % 3 === 1) done.push(withTx(db, (tx) => resumeEndpoint(tx, keyOf(endpoint))));
      }
    },
  });
  await Promise.all(done);
  for (const id of ids.slice(10)) await path.finish(id);
  // I14, checked after this test, finds events without a delivery; this checks that a pause leaves no pending delivery.
  const [row] = await path.read<{ stray: number }>(
    `SELECT count(*)::int AS stray FROM delivery d JOIN webhook_endpoint p ON p.id = d.endpoint_id
     WHERE d.endpoint_id = $1 AND d.status = 'pending' AND p.status <> 'active'`,
    [endpoint.id],
  );
  expect(row).toEqual({ stray: 0 });
});
