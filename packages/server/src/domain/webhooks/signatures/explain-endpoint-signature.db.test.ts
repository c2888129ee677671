import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { withTx } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../../generations/testing/create-money-path.ts';
import { getDelivery } from '../deliveries/get-delivery.ts';
import { listDeliveries, listDeliveryPage } from '../deliveries/list-deliveries.ts';
import { sendTestEvent } from '../deliveries/send-test-event.ts';
import { rotateSecret } from '../endpoints/rotate-secret.ts';
import { createWebhookSetup, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { type Receiver, startReceiver } from '../testing/start-receiver.ts';
import { explainEndpointSignature } from './explain-endpoint-signature.ts';

const database = await openTestDatabase();
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
  account = await path.makeAccount();
  endpoint = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
  return () => receiver.close();
});
afterAll(() => setup.close());

const key = () => ({ accountId: account.accountId, endpointId: endpoint.id });
const refuse = () => {
  receiver.answer = (_request, response) => void response.writeHead(400).end('bad signature');
};

/** Ends a generation and delivers its event once. */
async function deliverOne() {
  await path.finish(await path.begin(account));
  await setup.work();
  const [delivery] = await listDeliveries(setup.services, key());
  const request = receiver.received.at(-1)!;
  return { deliveryId: delivery!.id, header: String(request.headers['service-signature']), body: String(request.body) };
}

describe('getDelivery', () => {
  test('shows the exact request of a failed attempt', async () => {
    refuse();
    const { deliveryId, header, body } = await deliverOne();
    const { row, request } = await getDelivery(setup.services, { accountId: account.accountId, deliveryId });
    expect(row).toMatchObject({ id: deliveryId, endpointId: endpoint.id, status: 'pending' });
    expect(row.attempts).toMatchObject([{ statusCode: 400, excerpt: 'bad signature' }]);
    expect(request).toMatchObject({ exact: true, method: 'POST', url: receiver.url, body });
    expect(request?.headers['Service-Signature']).toBe(header);
    expect(request?.headers['Service-Event-Id']).toBe(row.eventId);
  });

  test('renders the request of a delivered one again, unsigned', async () => {
    const { deliveryId, body } = await deliverOne();
    const { row, request } = await getDelivery(setup.services, { accountId: account.accountId, deliveryId });
    expect(row.status).toBe('delivered');
    expect(request).toMatchObject({ exact: false, url: receiver.url });
    expect(request?.headers).not.toHaveProperty('Service-Signature');
    const { data, ...event } = JSON.parse(body);
    expect(JSON.parse(request!.body)).toMatchObject({ ...event, data: { generation: { id: data.generation.id } } });
    const stored = await path.read('SELECT sent_body FROM attempt WHERE delivery_id = $1', [deliveryId]);
    expect(stored).toEqual([{ sent_body: null }]);
  });

  test('a test event, and a delivery of another account', async () => {
    const sent = await sendTestEvent(setup.services, { ...key(), type: 'generation.failed', actor });
    const { request } = await getDelivery(setup.services, {
      accountId: account.accountId,
      deliveryId: sent.deliveryId,
    });
    expect(JSON.parse(request!.body)).toMatchObject({ test: true, type: 'generation.failed' });
    const other = await path.makeAccount();
    await expect(
      getDelivery(setup.services, { accountId: other.accountId, deliveryId: sent.deliveryId }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a page of deliveries tells whether there is another', async () => {
  for (let n = 0; n < 3; n += 1) await sendTestEvent(setup.services, { ...key(), type: 'generation.failed', actor });
  const first = await listDeliveryPage(setup.services, { ...key(), limit: 2 });
  expect([first.items.length, first.hasMore]).toEqual([2, true]);
  const next = await listDeliveryPage(setup.services, { ...key(), limit: 2, beforeId: first.items.at(-1)!.id });
  expect([next.items.length, next.hasMore]).toEqual([1, false]);
  expect((await listDeliveryPage(setup.services, { ...key(), limit: 3 })).hasMore).toBe(false);
});

describe('explainEndpointSignature', () => {
  const explain = (pasted: { header: string; body: string; deliveryId?: string; secret?: string }) =>
    explainEndpointSignature(setup.services, { ...key(), ...pasted });

  test('an unchanged request is right, also of a delivery that succeeded and is not recorded', async () => {
    const delivered = await deliverOne();
    expect(await explain({ header: delivered.header, body: delivered.body })).toMatchObject({
      verdict: 'ok',
      findings: [],
      comparedWith: null,
    });
    refuse();
    const { header, body, deliveryId } = await deliverOne();
    expect(await explain({ header, body })).toMatchObject({
      verdict: 'ok',
      comparedWith: { deliveryId, round: 1, n: 1 },
    });
  });

  test('a body that was parsed and written again is found by comparing it with what was sent', async () => {
    refuse();
    const { header, body, deliveryId } = await deliverOne();
    const rewritten = JSON.stringify(JSON.parse(body), null, 2);
    const found = await explain({ header, body: rewritten });
    expect(found).toMatchObject({ verdict: 'changed_body', comparedWith: { deliveryId } });
    expect(found.sentence).not.toContain(endpoint.secret);
  });

  test('a header that cannot be read is compared with the named delivery', async () => {
    refuse();
    const { header, body, deliveryId } = await deliverOne();
    expect(await explain({ header: `"${header}"`, body, deliveryId })).toMatchObject({
      verdict: 'malformed_header',
      comparedWith: { deliveryId },
    });
    expect(await explain({ header: '', body })).toMatchObject({ verdict: 'unexplained', comparedWith: null });
  });

  test('a wrong secret and a rotated one', async () => {
    refuse();
    const { header, body } = await deliverOne();
    const other = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
    expect(await explain({ header, body, secret: other.secret })).toMatchObject({ verdict: 'wrong_secret' });
    await withTx(database.db, (tx) => rotateSecret(tx, setup.services, { ...key(), actor }));
    const found = await explain({ header, body });
    expect(found.verdict).toBe('unexplained');
    expect(found.sentence).toContain('rotated');
  });

  test('a header that nobody recorded, with a body that does not fit', async () => {
    const { header, body } = await deliverOne();
    const found = await explain({ header, body: `${body} ` });
    expect(found).toMatchObject({ verdict: 'unexplained', comparedWith: null });
    expect(found.sentence).toContain('send a test event');
  });

  test('a delivery of another account is not compared, and its endpoint does not exist', async () => {
    refuse();
    const { header, body, deliveryId } = await deliverOne();
    const other = await path.makeAccount();
    const own = await setup.addEndpoint({ accountId: other.accountId, url: receiver.url });
    const pasted = { accountId: other.accountId, header, body, deliveryId };
    expect(await explainEndpointSignature(setup.services, { ...pasted, endpointId: own.id })).toMatchObject({
      comparedWith: null,
    });
    await expect(
      explainEndpointSignature(setup.services, { ...pasted, endpointId: endpoint.id }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
