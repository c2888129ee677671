import { EVENT_TYPES, WebhookEvent } from '@atelier/contract';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../../generations/testing/create-money-path.ts';
import { pauseEndpoint, resumeEndpoint } from '../endpoints/pause-endpoint.ts';
import { getEndpoint } from '../endpoints/read-endpoints.ts';
import { verifySignature } from '../signatures/verify-signature.ts';
import { createWebhookSetup, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { type Receiver, startReceiver } from '../testing/start-receiver.ts';
import { listDeliveries } from './list-deliveries.ts';
import { redeliver, redeliverFailed } from './redeliver.ts';
import { sendTestEvent } from './send-test-event.ts';
import { sweepWebhooks } from './sweep-webhooks.ts';

const database = await openTestDatabase();
const { db, owner } = database;
const path = createMoneyPath(database);
const actor = 'tester';
let setup: WebhookSetup;
let receiver: Receiver;
let account: PathAccount;
let endpoint: { id: string; secret: string };

beforeAll(async () => {
  setup = await createWebhookSetup(database);
});
beforeEach(async () => {
  receiver = await startReceiver();
  account = await path.makeAccount({ runLimit: 50 });
  endpoint = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
  return () => receiver.close();
});
afterAll(() => setup.close());

const key = () => ({ accountId: account.accountId, endpointId: endpoint.id, actor });
const endOne = async () => path.finish(await path.begin(account));
const log = () => listDeliveries(setup.services, key());
const eventIds = () => receiver.received.map((request) => JSON.parse(String(request.body)).id);
/** Nine failed attempts, with the time between them. */
async function failAll(): Promise<void> {
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  for (let n = 1; n <= 9; n += 1) {
    await setup.work();
    for (const { id, nextAt } of await log()) {
      if (nextAt !== null) await setup.passTime(id, 43_200);
    }
  }
  receiver.answer = (_request, response) => void response.writeHead(200).end();
}

test('a redelivery has the same event id and nine new attempts', async () => {
  await endOne();
  await failAll();
  const [failed] = await log();
  expect(failed).toMatchObject({ status: 'failed', round: 1 });
  receiver.received.length = 0;
  setup.woken.length = 0;
  await redeliver(setup.services, { accountId: account.accountId, deliveryId: failed!.id, actor });
  expect(setup.woken).toEqual(['deliver-webhook']);
  await setup.work();
  expect(eventIds()).toEqual([failed!.eventId]);
  const [delivery] = await log();
  expect(delivery).toMatchObject({ id: failed!.id, status: 'delivered', round: 2 });
  expect(delivery!.attempts).toHaveLength(10);
  // A delivered one may also be requested again.
  await redeliver(setup.services, { accountId: account.accountId, deliveryId: failed!.id, actor });
  await setup.work();
  expect(eventIds()).toEqual([failed!.eventId, failed!.eventId]);
});

test('a redelivery replaces the active round: its jobs and late responses no longer count', async () => {
  await endOne();
  const [old] = await setup.fetch();
  const [{ id: deliveryId } = { id: '' }] = await log();
  receiver.answer = async (_request, response) => {
    receiver.answer = (_later, ok) => void ok.writeHead(200).end();
    await redeliver(setup.services, { accountId: account.accountId, deliveryId, actor });
    response.writeHead(500).end();
  };
  await setup.run([old!]);
  expect((await log())[0]).toMatchObject({ status: 'pending', round: 2 });
  await setup.work();
  expect((await log())[0]).toMatchObject({ status: 'delivered', round: 2 });
});

test('everything that failed since a time is sent again, but nothing older or delivered', async () => {
  for (let n = 0; n < 3; n += 1) await endOne();
  await failAll();
  const failed = await log();
  await owner.pool.query(`UPDATE delivery SET created_at = now() - interval '9 days' WHERE id = $1`, [failed[2]!.id]);
  await owner.pool.query(`UPDATE delivery SET created_at = now() - interval '2 days' WHERE id = ANY ($1)`, [
    failed.slice(0, 2).map(({ id }) => id),
  ]);
  await endOne();
  await setup.work();
  await endOne();
  await withTx(db, (tx) => pauseEndpoint(tx, key()));
  const since = new Date(Date.now() - 7 * 86_400_000);
  await expect(redeliverFailed(setup.services, { ...key(), since })).rejects.toMatchObject({ code: 'invalid_params' });
  await withTx(db, (tx) => resumeEndpoint(tx, key()));
  receiver.received.length = 0;
  // Two that failed and one that the pause stopped.
  expect(await redeliverFailed(setup.services, { ...key(), since })).toEqual({ redelivered: 3, more: false });
  await setup.work();
  expect(new Set(eventIds()).size).toBe(3);
  expect(eventIds()).not.toContain(failed[2]!.eventId);
  expect(await redeliverFailed(setup.services, { ...key(), since })).toEqual({ redelivered: 0, more: false });
});

test('twelve hundred at once, in batches', async () => {
  await endOne();
  await setup.work();
  await owner.pool.query(
    `WITH g AS (
       INSERT INTO generation SELECT (jsonb_populate_record(g, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', gen_random_uuid()))).*
       FROM generation g, generate_series(1, 1200) WHERE g.account_id = $1 RETURNING id, account_id, completed_at
     ), h AS (
       INSERT INTO hold (generation_id, account_id, month, amount, captured, closed_at) SELECT id, account_id, '2026-01-01', 7, 7, now() FROM g
     ), t AS (
       INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
       SELECT g.account_id, k.kind, k.debit, k.credit, 7, g.id FROM g, (VALUES ('hold', 'available', 'held'), ('capture', 'held', 'revenue')) k (kind, debit, credit)
     ), a AS (
       INSERT INTO asset (id, account_id, source, generation_id, kind, mime_type, bytes, sha256, object_key, variants)
       SELECT gen_random_uuid(), account_id, 'output', id, 'image', 'image/png', 1, sha256(id::text::bytea), id::text, '{}' FROM g
     ), e AS (
       INSERT INTO event (id, account_id, generation_id, type, created_at)
       SELECT gen_random_uuid(), account_id, id, 'generation.succeeded', completed_at FROM g RETURNING id, account_id, created_at
     )
     INSERT INTO delivery (id, event_id, endpoint_id, account_id, created_at, status, finished_at, reason)
     SELECT gen_random_uuid(), id, $2, account_id, created_at, 'stopped', now(), 'paused' FROM e`,
    [account.accountId, endpoint.id],
  );
  const since = new Date(Date.now() - 60_000);
  expect(await redeliverFailed(setup.services, { ...key(), since })).toEqual({ redelivered: 1_200, more: false });
  const rows = await path.read<{ jobs: number }>(
    `SELECT count(*)::int AS jobs FROM delivery d JOIN pgboss.job j ON j.name = 'deliver-webhook' AND j.id = d.job_id
     WHERE d.endpoint_id = $1 AND d.status = 'pending' AND j.state = 'created'`,
    [endpoint.id],
  );
  expect(rows).toEqual([{ jobs: 1_200 }]);
  await withTx(db, (tx) => pauseEndpoint(tx, key()));
  receiver.received.length = 0;
  while ((await setup.work()) > 0);
  expect(receiver.received).toEqual([]);
});

test.each(EVENT_TYPES)('a test of %s is signed, marked and sent once, and does not affect health', async (type) => {
  const { deliveryId, event } = await sendTestEvent(setup.services, { ...key(), type });
  await setup.work();
  const [request] = receiver.received;
  const sent = JSON.parse(String(request!.body));
  expect(Compile(WebhookEvent).Check(sent)).toBe(true);
  expect(sent).toEqual(event);
  expect(sent).toMatchObject({ type, test: true, data: { generation: { status: type.split('.')[1] } } });
  const header = String(request!.headers['service-signature']);
  const check = { secret: endpoint.secret, header, body: request!.body, nowSeconds: Date.now() / 1000 };
  expect(verifySignature(check)).toEqual({ ok: true });
  expect(await log()).toMatchObject([{ id: deliveryId, isTest: true, status: 'delivered', eventType: type }]);

  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await sendTestEvent(setup.services, { ...key(), type });
  await setup.work();
  expect((await log())[0]).toMatchObject({ isTest: true, status: 'stopped', reason: 'The endpoint answered 500.' });
  expect(await getEndpoint(setup.services, key())).toMatchObject({ failingSince: null });
  expect(await path.read('SELECT id FROM event WHERE account_id = $1', [account.accountId])).toEqual([]);
});

test('a paused endpoint can be tested', async () => {
  await withTx(db, (tx) => pauseEndpoint(tx, key()));
  await sendTestEvent(setup.services, { ...key(), type: 'generation.failed' });
  await setup.work();
  expect(receiver.received).toHaveLength(1);
});

test('five days of failures pause an endpoint with a reason; a success or inactivity does not', async () => {
  const pausedOf = async () => {
    const { status, statusReason } = await getEndpoint(setup.services, key());
    return { status, statusReason };
  };
  const failFor = (days: number) =>
    owner.pool.query(`UPDATE webhook_endpoint SET failing_since = now() - $2 * interval '1 day' WHERE id = $1`, [
      endpoint.id,
      days,
    ]);
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await endOne();
  await setup.work();
  expect((await getEndpoint(setup.services, key())).failingSince).not.toBeNull();
  await failFor(4.9);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ paused: 0 });

  // It failed once, six days ago, and nothing has been sent since.
  await failFor(6);
  const [first] = await log();
  await setup.passTime(first!.id, 6 * 86_400);
  await withTx(db, (tx) => pauseEndpoint(tx, key()));
  await withTx(db, (tx) => resumeEndpoint(tx, key()));
  await failFor(6);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ paused: 0 });

  // A success in between.
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  await endOne();
  await setup.work();
  expect((await getEndpoint(setup.services, key())).failingSince).toBeNull();

  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await endOne();
  await setup.work();
  await failFor(5.1);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ paused: 1 });
  expect(await pausedOf()).toEqual({
    status: 'paused',
    statusReason: 'Every delivery failed for 5 days. Resume the endpoint once it answers again.',
  });
  expect((await log())[0]!.status).toBe('stopped');
  const audit = await path.read(
    `SELECT actor, action FROM audit_log WHERE account_id = $1 AND action = 'webhook.paused' AND actor = 'system'`,
    [account.accountId],
  );
  expect(audit).toHaveLength(1);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ paused: 0 });
});

test('a delivery whose job is missing gets another one; one with a job does not', async () => {
  await endOne();
  await endOne();
  const [lost, kept] = await log();
  await owner.pool.query(`UPDATE pgboss.job SET state = 'failed' WHERE data ->> 'deliveryId' = $1`, [lost!.id]);
  await owner.pool.query(`UPDATE delivery SET next_at = now() - interval '2 minutes' WHERE id = ANY ($1)`, [
    [lost!.id, kept!.id],
  ]);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ requeued: 1 });
  expect(await sweepWebhooks(setup.services)).toMatchObject({ requeued: 0 });
  await setup.work();
  expect((await log()).map(({ status, attempts }) => [status, attempts.length])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
  ]);
});

test('old test deliveries are deleted with events of the same age', async () => {
  await sendTestEvent(setup.services, { ...key(), type: 'generation.failed' });
  await setup.work();
  await owner.pool.query(`UPDATE delivery SET created_at = now() - interval '31 days' WHERE endpoint_id = $1`, [
    endpoint.id,
  ]);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ testsDeleted: 1 });
  expect(await log()).toEqual([]);
});
