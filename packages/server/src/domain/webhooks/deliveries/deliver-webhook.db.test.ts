import { WebhookEvent } from '@atelier/contract';
import Stripe from 'stripe';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath } from '../../generations/testing/create-money-path.ts';
import { verifySignature } from '../signatures/verify-signature.ts';
import { createWebhookSetup, type WebhookSetup } from '../testing/create-webhook-setup.ts';
import { type Receiver, startReceiver } from '../testing/start-receiver.ts';
import { MAX_ATTEMPTS, RETRY_STEPS_SECONDS } from './retry-schedule.ts';

const database = await openTestDatabase();
const path = createMoneyPath(database);
const event = Compile(WebhookEvent);
let setup: WebhookSetup;
let receiver: Receiver;

beforeAll(async () => {
  setup = await createWebhookSetup(database);
});
beforeEach(async () => {
  receiver = await startReceiver();
  return () => receiver.close();
});
afterAll(() => setup.close());

interface Delivery {
  id: string;
  status: string;
  attempts: number;
  reason: string | null;
  next_at: Date | null;
  event_id: string;
}

async function deliveriesOf(endpointId: string): Promise<Delivery[]> {
  return path.read<Delivery>('SELECT * FROM delivery WHERE endpoint_id = $1 ORDER BY created_at', [endpointId]);
}

/** An account with one endpoint and an ended generation. */
async function endOne(options: { url?: string; outputs?: number } = {}) {
  const account = await path.makeAccount();
  const endpoint = await setup.addEndpoint({ accountId: account.accountId, url: options.url ?? receiver.url });
  const id = await path.begin(account, { outputs: options.outputs ?? 1 });
  await path.finish(id, { outputs: options.outputs ?? 1 });
  const [delivery] = await deliveriesOf(endpoint.id);
  return { account, endpoint, generationId: id, deliveryId: delivery!.id };
}

/** The stored interval between the end of the last attempt and the next, in seconds, to the microsecond. */
async function gapOf(deliveryId: string): Promise<number | null> {
  const [row] = await path.read<{ gap: string | null }>(
    `SELECT extract(epoch FROM d.next_at - (SELECT max(a.finished_at) FROM attempt a WHERE a.delivery_id = d.id))::text AS gap
     FROM delivery d WHERE d.id = $1`,
    [deliveryId],
  );
  return row?.gap == null ? null : Number(row.gap);
}

test('nine attempts with exact gaps, then failed; each has a new signature and the same event id', async () => {
  const { endpoint, deliveryId } = await endOne({ outputs: 2 });
  receiver.answer = (_request, response) => void response.writeHead(503).end('not now');
  const gaps: number[] = [];
  for (let n = 1; n <= MAX_ATTEMPTS; n += 1) {
    const jobs = await setup.fetch();
    expect(jobs.map((job) => job.data)).toEqual([{ deliveryId, round: 1, attempt: n }]);
    await setup.run(jobs);
    expect(receiver.received).toHaveLength(n);
    const [delivery] = await deliveriesOf(endpoint.id);
    expect(delivery).toMatchObject({ attempts: n, status: n < MAX_ATTEMPTS ? 'pending' : 'failed' });
    const gap = await gapOf(deliveryId);
    if (gap === null) break;
    gaps.push(gap);
    const [job] = await path.read<{ start_after: Date }>(
      `SELECT start_after FROM pgboss.job WHERE name = 'deliver-webhook' AND state = 'created' AND data ->> 'deliveryId' = $1`,
      [deliveryId],
    );
    expect(job!.start_after).toEqual(delivery!.next_at);
    // One second before it is due there is nothing to do.
    await setup.passTime(deliveryId, gap - 1);
    expect(await setup.fetch()).toEqual([]);
    await setup.passTime(deliveryId, 1);
  }
  console.log(`gaps between attempts: ${gaps.join(', ')} s`);
  expect(gaps).toEqual([...RETRY_STEPS_SECONDS]);
  expect(await setup.fetch()).toEqual([]);

  const ids = new Set<string>();
  const stripe = new Stripe('sk_test_unused');
  for (const request of receiver.received) {
    const header = String(request.headers['service-signature']);
    const nowSeconds = Math.floor(Date.now() / 1000);
    expect(verifySignature({ secret: endpoint.secret, header, body: request.body, nowSeconds })).toEqual({ ok: true });
    expect(stripe.webhooks.signature!.verifyHeader(request.body.toString(), header, endpoint.secret, 300)).toBe(true);
    const parsed = JSON.parse(request.body.toString());
    expect(event.Check(parsed)).toBe(true);
    expect(parsed.data.generation.outputs).toHaveLength(2);
    expect(parsed.id).toBe(request.headers['service-event-id']);
    expect(parsed.type).toBe(request.headers['service-event-type']);
    expect(request.headers['content-type']).toBe('application/json');
    ids.add(parsed.id);
  }
  expect(ids.size).toBe(1);
  const log = await path.read<{ n: number; status_code: number; error: string; excerpt: string }>(
    'SELECT n, status_code, error, excerpt FROM attempt WHERE delivery_id = $1 ORDER BY n',
    [deliveryId],
  );
  expect(log).toHaveLength(MAX_ATTEMPTS);
  for (const row of log) {
    expect(row).toMatchObject({ status_code: 503, error: 'The endpoint answered 503.', excerpt: 'not now' });
  }
});

test('the timestamp is the time of the attempt, not of the event', async () => {
  const { deliveryId } = await endOne();
  const stamps: number[] = [];
  const offsets = [0, 4_000_000];
  receiver.answer = (_request, response) => void response.writeHead(500).end();
  const { clock } = setup.services;
  try {
    for (const offset of offsets) {
      Object.assign(setup.services, { clock: { now: () => new Date(Date.now() + offset) } });
      await setup.work();
      stamps.push(Number(/^t=(\d+)/.exec(String(receiver.received.at(-1)!.headers['service-signature']))![1]));
      await setup.passTime(deliveryId, 30);
    }
  } finally {
    Object.assign(setup.services, { clock });
  }
  expect(stamps[1]! - stamps[0]!).toBeGreaterThanOrEqual(4_000);
  receiver.answer = (_request, response) => void response.writeHead(204).end();
  await setup.work();
});

test.each([200, 201, 204, 299])('%i is a success and completes the delivery', async (status) => {
  const { endpoint } = await endOne();
  receiver.answer = (_request, response) => void response.writeHead(status).end();
  await setup.work();
  const [delivery] = await deliveriesOf(endpoint.id);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, next_at: null, reason: null });
});

test.each([301, 308, 400, 404, 410, 429, 500])('%i is an ordinary failure', async (status) => {
  const { endpoint, deliveryId } = await endOne();
  receiver.answer = (_request, response) => void response.writeHead(status, { location: receiver.url }).end();
  await setup.work();
  const [delivery] = await deliveriesOf(endpoint.id);
  expect(delivery).toMatchObject({ status: 'pending', attempts: 1, reason: `The endpoint answered ${status}.` });
  expect(await gapOf(deliveryId)).toBe(30);
  expect(receiver.received).toHaveLength(1);
  await setup.passTime(deliveryId, 30);
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  await setup.work();
});

test('success needs status and headers within ten seconds: 9.5 s succeeds, 10.5 s fails, an endless body succeeds', async () => {
  const slow = [9_500, 10_500].map((delayMs) => ({ delayMs, url: `${receiver.url}/${delayMs}` }));
  receiver.answer = (request, response) => {
    if (request.path === '/endless') {
      response.writeHead(200);
      response.write('on and on');
      return;
    }
    setTimeout(() => response.writeHead(200).end(), Number(request.path.slice(1)));
  };
  const ended = await Promise.all([
    ...slow.map(({ url }) => endOne({ url })),
    endOne({ url: `${receiver.url}/endless` }),
  ]);
  await setup.work();
  const states = await Promise.all(ended.map(async ({ endpoint }) => (await deliveriesOf(endpoint.id))[0]!));
  expect(states.map(({ status }) => status)).toEqual(['delivered', 'pending', 'delivered']);
  expect(states[1]!.reason).toContain('timeout');
  const latency = async (deliveryId: string) =>
    (await path.read<{ latency_ms: number }>('SELECT latency_ms FROM attempt WHERE delivery_id = $1', [deliveryId]))[0]!
      .latency_ms;
  expect(await latency(ended[0]!.deliveryId)).toBeGreaterThanOrEqual(9_400);
  expect(await latency(ended[2]!.deliveryId)).toBeLessThan(5_000);
  await setup.passTime(ended[1]!.deliveryId, 30);
  receiver.answer = (_request, response) => void response.writeHead(200).end();
  await setup.work();
});

test('a refused connection is recorded as a failure with its reason', async () => {
  const dead = await startReceiver();
  await dead.close();
  const { endpoint } = await endOne({ url: dead.url });
  await setup.work();
  const [delivery] = await deliveriesOf(endpoint.id);
  expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
  expect(delivery!.reason).toMatch(/^connect: /);
});

test('a replaced job does nothing, and a recorded attempt is not repeated', async () => {
  const { deliveryId } = await endOne();
  const [job] = await setup.fetch();
  await setup.run([job!]);
  expect(receiver.received).toHaveLength(1);
  await setup.run([job!]);
  await setup.run([{ id: crypto.randomUUID(), data: { deliveryId, round: 1, attempt: 2 } }]);
  expect(receiver.received).toHaveLength(1);
});

test('at most five requests to one endpoint are in flight; the rest are retried later and none is lost', async () => {
  const account = await path.makeAccount({ runLimit: 100 });
  const endpoint = await setup.addEndpoint({ accountId: account.accountId, url: receiver.url });
  receiver.answer = (_request, response) => void setTimeout(() => response.writeHead(200).end(), 2_000);
  const ids = await Promise.all(Array.from({ length: 20 }, () => path.begin(account)));
  for (const id of ids) await path.finish(id);
  const startedMs = performance.now();
  await setup.work();
  const firstMs = performance.now() - startedMs;
  // Those beyond the limit released their slots after half a second; waiting for their turns would have taken eight.
  expect(firstMs).toBeLessThan(5_000);
  const waiting = (await deliveriesOf(endpoint.id)).filter(({ status }) => status === 'pending');
  expect(waiting).toHaveLength(15);
  for (let tries = 0; tries < 60; tries += 1) {
    await setup.work();
    if ((await deliveriesOf(endpoint.id)).every(({ status }) => status === 'delivered')) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  const ended = await deliveriesOf(endpoint.id);
  expect(ended.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
  expect(receiver.received).toHaveLength(20);
  expect(receiver.mostOpen()).toBeLessThanOrEqual(5);
  console.log(`20 deliveries at 2 s each, five at a time: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
});
