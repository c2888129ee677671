import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createKeyRing } from '../../../platform/crypto.ts';
import { withTx } from '../../../platform/db.ts';
import type { Mail } from '../../../platform/mail.ts';
import { createMoneyPath, type PathAccount } from '../../generations/testing/create-money-path.ts';
import { deleteEndpoint } from '../endpoints/delete-endpoint.ts';
import { mailEndpointPaused } from '../endpoints/mail-endpoint-paused.ts';
import { pauseEndpoint, resumeEndpoint } from '../endpoints/pause-endpoint.ts';
import { getEndpoint } from '../endpoints/read-endpoints.ts';
import { resealSecrets } from '../endpoints/reseal-secrets.ts';
import { rotateSecret } from '../endpoints/rotate-secret.ts';
import { verifySignature } from '../signatures/verify-signature.ts';
import { createWebhookSetup, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { type Receiver, startReceiver } from '../testing/start-receiver.ts';
import { createDeliveryDesk } from './create-delivery-desk.ts';
import { listDeliveries } from './list-deliveries.ts';
import { redeliverFailed } from './redeliver.ts';
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
const statuses = async () => (await log()).map(({ status }) => status);
const eventIds = () => receiver.received.map((request) => JSON.parse(String(request.body)).id);

/** Pauses the endpoint as the sweep does, after days of failures. */
async function pauseAutomatically(): Promise<void> {
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  await endOne();
  await setup.work();
  await owner.pool.query(`UPDATE webhook_endpoint SET failing_since = now() - interval '6 days' WHERE id = $1`, [
    endpoint.id,
  ]);
  expect(await sweepWebhooks(setup.services)).toMatchObject({ paused: 1 });
  receiver.answer = (_request, response) => void response.writeHead(200).end();
}

test('the owner is told by mail when an endpoint is paused automatically', async () => {
  // Members belong to the live account of the pair.
  await owner.pool.query(
    `INSERT INTO account (id, owner_id, mode, name, run_limit) SELECT gen_random_uuid(), owner_id, 'live', 'Heron', 1 FROM account WHERE id = $1`,
    [account.accountId],
  );
  const addMember = async (role: string, isVerified: boolean) => {
    const email = `${role}-${isVerified}@example.com`;
    await owner.pool.query(
      `WITH p AS (INSERT INTO person (id, name, email, email_verified) VALUES (gen_random_uuid(), 'P', $2, $3) RETURNING id)
       INSERT INTO membership (person_id, pair_id, role) SELECT p.id, a.owner_id, $4 FROM p, account a WHERE a.id = $1`,
      [account.accountId, email, isVerified, role],
    );
    return email;
  };
  const told = await addMember('owner', true);
  await addMember('owner', false);
  await addMember('developer', true);
  const mails: Mail[] = [];
  const mailAll = async () => {
    const { rows } = await owner.pool.query(`SELECT data FROM pgboss.job WHERE name = 'mail-endpoint-paused'`);
    const services = { ...setup.services, mail: { send: async (mail: Mail) => void mails.push(mail) } };
    for (const { data } of rows) {
      await mailEndpointPaused({ ...services, consoleUrl: 'https://console.example.com' }, data);
    }
  };
  await withTx(db, (tx) => pauseEndpoint(tx, key()));
  await mailAll();
  expect(mails, 'of whoever paused it by hand').toEqual([]);
  await withTx(db, (tx) => resumeEndpoint(tx, key()));
  await pauseAutomatically();
  await mailAll();
  expect(mails.map(({ to }) => to)).toEqual([told]);
  expect(mails[0]?.text).toContain(`https://console.example.com/accounts/${account.accountId}/webhooks/${endpoint.id}`);
  expect(mails[0]?.text).toContain('Every delivery failed for 5 days.');
  expect(setup.woken).toContain('mail-endpoint-paused');
  await withTx(db, (tx) => resumeEndpoint(tx, key()));
  await mailAll();
  expect(mails, 'it works again').toHaveLength(1);
});

test('an automatically paused endpoint gets a held delivery for each event, and redelivery since a time recovers all of them', async () => {
  const since = new Date(Date.now() - 60_000);
  await pauseAutomatically();
  for (let n = 0; n < 4; n += 1) await endOne();
  await path.cancel(account, await path.begin(account));
  expect(await statuses()).toEqual(['held', 'held', 'held', 'held', 'held', 'stopped']);
  receiver.received.length = 0;
  expect(await setup.work(), 'nothing is sent while it is paused').toBe(0);
  await withTx(db, (tx) => resumeEndpoint(tx, key()));
  expect(await redeliverFailed(setup.services, { ...key(), since })).toEqual({ redelivered: 6, more: false });
  await setup.work();
  while ((await statuses()).includes('pending')) await setup.work();
  expect(await statuses()).toEqual(Array.from({ length: 6 }, () => 'delivered'));
  const events = await path.read<{ id: string }>('SELECT id FROM event WHERE account_id = $1', [account.accountId]);
  expect(new Set(eventIds())).toEqual(new Set(events.map(({ id }) => id)));
});

test('a held delivery of a deleted endpoint stops with a reason', async () => {
  await pauseAutomatically();
  await endOne();
  await withTx(db, (tx) => deleteEndpoint(tx, key()));
  const rows = await path.read('SELECT status, reason FROM delivery WHERE endpoint_id = $1 ORDER BY created_at DESC', [
    endpoint.id,
  ]);
  expect(rows[0]).toEqual({ status: 'stopped', reason: 'The endpoint is deleted.' });
});

test('the migration adds the deliveries that a paused endpoint missed before', async () => {
  await pauseAutomatically();
  await endOne();
  await owner.pool.query(`DELETE FROM delivery WHERE endpoint_id = $1 AND status = 'held'`, [endpoint.id]);
  const text = await readFile(new URL('../../../../migrations/0014_held_deliveries.sql', import.meta.url), 'utf8');
  await owner.pool.query(text.slice(text.indexOf('INSERT INTO delivery')));
  expect(await statuses()).toEqual(['held', 'stopped']);
});

/** The worker after the operator changed MASTER_KEY. */
function withKeys(keys: ReturnType<typeof createKeyRing>) {
  const { services } = setup;
  const before = { keys: services.keys, deliveryDesk: services.deliveryDesk };
  Object.assign(services, { keys, deliveryDesk: createDeliveryDesk({ db, keys }) });
  return () => Object.assign(services, before);
}

test('after removal of the old master key, deliveries record the reason and use no retries until the secret is rotated', async () => {
  await endOne();
  const restore = withKeys(createKeyRing([randomBytes(32)]));
  try {
    await setup.work();
    const [held] = await log();
    expect(held).toMatchObject({ status: 'held', nextAt: null, attempts: [] });
    expect(held?.reason).toContain('MASTER_KEY');
    expect(await setup.work(), 'no job is left').toBe(0);
    expect(await sweepWebhooks(setup.services)).toMatchObject({ requeued: 0 });
    expect((await getEndpoint(setup.services, key())).failingSince).toBeNull();
    const { secret } = await withTx(db, (tx) => rotateSecret(tx, setup.services, key()));
    await redeliverFailed(setup.services, { ...key(), since: new Date(0) });
    await setup.work();
    expect(await statuses()).toEqual(['delivered']);
    const [request] = receiver.received;
    const header = String(request?.headers['service-signature']);
    const check = { secret, header, body: request?.body as Buffer, nowSeconds: Date.now() / 1000 };
    expect(verifySignature(check)).toEqual({ ok: true });
  } finally {
    restore();
  }
});

test('reseal: secrets sealed by an old master key are sealed by the first one and do not change; unreadable ones are listed', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  await owner.pool.query(`UPDATE webhook_endpoint SET status = 'deleted'`);
  let restore = withKeys(createKeyRing([oldKey]));
  endpoint = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
  restore();
  const lost = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
  const both = createKeyRing([newKey, oldKey]);
  const first = await resealSecrets({ db, keys: both }, { actor });
  expect(first).toEqual({ resealed: 1, current: 0, unopened: [lost.id] });
  expect(await resealSecrets({ db, keys: both }, { actor })).toEqual({ resealed: 0, current: 1, unopened: [lost.id] });
  expect(await path.read(`SELECT actor, detail FROM audit_log WHERE action = 'webhook.secrets_resealed'`)).toEqual([
    { actor, detail: { endpoints: 1, masterKey: both.kid } },
  ]);
  restore = withKeys(createKeyRing([newKey]));
  try {
    await endOne();
    await setup.work();
    const [request] = receiver.received;
    const header = String(request?.headers['service-signature']);
    const check = { secret: endpoint.secret, header, body: request?.body as Buffer, nowSeconds: Date.now() / 1000 };
    expect(verifySignature(check)).toEqual({ ok: true });
  } finally {
    restore();
  }
});
