import { createHmac } from 'node:crypto';
import type { CoinPackages } from '@atelier/contract/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { lockAccount } from '../domain/accounts/lock-account.ts';
import { verifyBooks } from '../domain/ledger/verify-books.ts';
import { type LocalSession, type LocalStripe, STRIPE_WEBHOOK_SECRET } from '../payments/testing/start-stripe.ts';
import { withTx } from '../platform/db.ts';
import { createTestConsole, send, type TestConsole, type TestPerson } from './console/testing/create-test-console.ts';

const database = await openTestDatabase({ connections: 20 });
const { owner } = database;
const START = 100;

let console_: TestConsole;
let stripe: LocalStripe;

beforeAll(async () => {
  console_ = await createTestConsole(database);
  stripe = console_.stripe;
  stripe.sendTo(`${await console_.publicApp.listen({ host: '127.0.0.1', port: 0 })}/payments/stripe`);
});
afterAll(() => console_.close());

interface Buyer {
  readonly accountId: string;
  readonly testAccountId: string;
  readonly person: TestPerson;
}

async function addBuyer(): Promise<Buyer> {
  const pair = await console_.addPair();
  const person = await console_.addMember(pair.ownerId, 'billing');
  return { accountId: pair.accountId, testAccountId: pair.testAccountId, person };
}

const open = ({ accountId, person }: Buyer, packageId = '1000-1000', account = accountId) =>
  console_.call(`POST /api/accounts/${account}/checkouts`, { cookie: person.cookie, json: { packageId } });

async function begin(buyer: Buyer, packageId?: string): Promise<LocalSession> {
  const answer = await open(buyer, packageId);
  expect(answer.statusCode, answer.payload).toBe(201);
  const { url } = answer.json() as { url: string };
  return stripe.sessions.get(url.split('/').at(-1) as string) as LocalSession;
}

async function buy(buyer: Buyer, packageId?: string): Promise<LocalSession> {
  const session = await begin(buyer, packageId);
  expect(await stripe.send(stripe.paid(session))).toBe(200);
  return session;
}

async function balanceOf({ accountId }: Buyer): Promise<number> {
  const { rows } = await owner.pool.query('SELECT available FROM account WHERE id = $1', [accountId]);
  return rows[0].available;
}

const statusOf = async ({ accountId, person }: Buyer, { checkoutId }: LocalSession): Promise<string> => {
  const path = `/api/accounts/${accountId}/checkouts/${checkoutId}`;
  return (await console_.call(`GET ${path}`, { cookie: person.cookie })).json().status;
};

async function expectSoundBooks(): Promise<void> {
  const broken = (await verifyBooks({ db: owner })).filter(({ violations }) => violations > 0);
  expect(broken.map(({ id, first }) => ({ id, first }))).toEqual([]);
}

test('a person chooses a package, pays at Stripe, and the coins arrive with the event', async () => {
  const buyer = await addBuyer();
  const offer = await console_.call(`GET /api/accounts/${buyer.accountId}/coin-packages`, buyer.person);
  expect((offer.json() as CoinPackages).packages[0]).toEqual({ id: '1000-1000', amount: 1_000, coins: 1_000 });
  const session = await begin(buyer);
  expect(session).toMatchObject({ amount: 1_000, currency: 'usd' });
  expect(session.successUrl).toBe(
    `https://console.example.com/accounts/${buyer.accountId}/checkouts/${session.checkoutId}`,
  );
  expect(await statusOf(buyer, session)).toBe('open');
  expect(await balanceOf(buyer)).toBe(START);
  await stripe.send(stripe.paid(session));
  expect(await statusOf(buyer, session)).toBe('paid');
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  await expectSoundBooks();
});

test('an event that is repeated, also at the same time, moves coins once', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  const event = stripe.paid(session);
  // Another event of the same payment, as after a delayed payment method.
  const other = { ...stripe.paid(session), type: 'checkout.session.async_payment_succeeded' };
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => stripe.send(n % 2 === 0 ? event : other)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await stripe.send(event)).toBe(200);
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  await expectSoundBooks();
});

test('an event is refused while the service is read-only, and credited when it is sent again', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  console_.services.state.readOnly = 'The database moves.';
  expect(await stripe.send(stripe.paid(session))).toBe(503);
  expect(await balanceOf(buyer)).toBe(START);
  console_.services.state.readOnly = null;
  expect(await stripe.send(stripe.paid(session))).toBe(200);
  expect(await balanceOf(buyer)).toBeGreaterThan(START);
});

test('a checkout that is completed but not paid yet gives nothing', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  const event = stripe.paid(session) as { data: { object: object } };
  Object.assign(event.data.object, { payment_status: 'unpaid' });
  expect(await stripe.send(event as never)).toBe(200);
  expect([await balanceOf(buyer), await statusOf(buyer, session)]).toEqual([START, 'open']);
  expect(await stripe.send(stripe.event('checkout.session.expired', { client_reference_id: session.checkoutId }))).toBe(
    200,
  );
  expect(await statusOf(buyer, session)).toBe('expired');
  // The payment counts, although the event of its end arrived before.
  await stripe.send(stripe.paid(session));
  expect([await balanceOf(buyer), await statusOf(buyer, session)]).toEqual([START + 1_000, 'paid']);
  await stripe.send(stripe.event('checkout.session.expired', { client_reference_id: session.checkoutId }));
  expect(await statusOf(buyer, session)).toBe('paid');
});

test.each([
  ['another amount', { amount_total: 1 }],
  ['another currency', { currency: 'eur' }],
])('a payment of %s is refused', async (_name, change) => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  const event = stripe.paid(session) as { data: { object: object } };
  Object.assign(event.data.object, change);
  expect(await stripe.send(event as never)).toBe(400);
  expect(await balanceOf(buyer)).toBe(START);
});

test('refunds take coins back in proportion, down to a negative balance', async () => {
  const buyer = await addBuyer();
  const session = await buy(buyer, '333-100');
  await stripe.send(stripe.refunded(session, 100));
  // 100 of 333 is 30.03 of 100 coins.
  expect(await balanceOf(buyer)).toBe(START + 100 - 30);
  await stripe.send(stripe.refunded(session, 200));
  // An older event that arrives late changes nothing.
  await stripe.send(stripe.refunded(session, 100));
  expect(await balanceOf(buyer)).toBe(START + 100 - 60);
  await owner.pool.query(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
     VALUES ($1, 'adjust', 'available', 'adjustment', 140, 'test', 'spent')`,
    [buyer.accountId],
  );
  await stripe.send(stripe.refunded(session, 333));
  expect(await balanceOf(buyer)).toBe(-40);
  await expectSoundBooks();
});

test('a dispute takes the coins, and returns them if it is won', async () => {
  const buyer = await addBuyer();
  const session = await buy(buyer);
  const dispute = (event: string, status: string, id: string, amount = 1_000) =>
    stripe.send(stripe.dispute(session, { event, status, id, amount }));
  // An inquiry takes nothing.
  await dispute('created', 'warning_needs_response', 'dp_a');
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  await dispute('updated', 'needs_response', 'dp_a');
  expect(await balanceOf(buyer)).toBe(START);
  await dispute('closed', 'won', 'dp_a');
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  // The events of the second arrive in the wrong order.
  await dispute('closed', 'lost', 'dp_b', 500);
  await dispute('created', 'needs_response', 'dp_b', 500);
  expect(await balanceOf(buyer)).toBe(START + 500);
  // An appeal changes nothing until it is decided.
  await dispute('updated', 'appeal_under_review', 'dp_b', 500);
  expect(await balanceOf(buyer)).toBe(START + 500);
  await dispute('closed', 'won', 'dp_b', 500);
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  await dispute('created', 'needs_response', 'dp_e', 500);
  expect(await balanceOf(buyer)).toBe(START + 500);
  // What was refunded and disputed is never more than what was paid.
  await stripe.send(stripe.refunded(session, 1_000));
  expect(await balanceOf(buyer)).toBe(START);
  await expectSoundBooks();
});

const lockOf = async ({ accountId }: Buyer) => {
  const { rows } = await owner.pool.query('SELECT locked_reason FROM account WHERE id = $1', [accountId]);
  return rows[0].locked_reason as string | null;
};

test('a charge-back locks the account, and a won dispute returns coins and access', async () => {
  const buyer = await addBuyer();
  const [first, second] = [await buy(buyer), await buy(buyer)];
  const dispute = (session: LocalSession, status: string) =>
    stripe.send(stripe.dispute(session, { event: 'updated', status, id: `dp_${session.id}` }));
  await dispute(first, 'warning_needs_response');
  expect(await lockOf(buyer)).toBe(null);
  await dispute(first, 'needs_response');
  await dispute(second, 'needs_response');
  expect([await balanceOf(buyer), await lockOf(buyer)]).toEqual([START, 'A payment is disputed.']);
  await dispute(first, 'won');
  expect([await balanceOf(buyer), await lockOf(buyer)]).toEqual([START + 1_000, 'A payment is disputed.']);
  await dispute(second, 'won');
  expect([await balanceOf(buyer), await lockOf(buyer)]).toEqual([START + 2_000, null]);
  // A refund locks nothing.
  await stripe.send(stripe.refunded(first, 1_000));
  expect(await lockOf(buyer)).toBe(null);
  await expectSoundBooks();
});

test('a charge-back keeps the lock and the unlock of an operator', async () => {
  const buyer = await addBuyer();
  const session = await buy(buyer);
  const dispute = (status: string, id: string) =>
    stripe.send(stripe.dispute(session, { event: 'updated', status, id, amount: 100 }));
  const lock = (locked: boolean) =>
    withTx(owner, (tx) => lockAccount(tx, { accountId: buyer.accountId, locked, reason: 'Abuse.', actor: 'test' }));
  await lock(true);
  await dispute('needs_response', `dp_1_${session.id}`);
  await dispute('won', `dp_1_${session.id}`);
  expect(await lockOf(buyer)).toBe('Abuse.');
  await lock(false);
  await dispute('needs_response', `dp_2_${session.id}`);
  await lock(false);
  await dispute('under_review', `dp_2_${session.id}`);
  await dispute('lost', `dp_2_${session.id}`);
  expect(await lockOf(buyer)).toBe(null);
});

test('with LOCK_ON_DISPUTE=false a charge-back takes the coins alone', async () => {
  const buyer = await addBuyer();
  const session = await buy(buyer);
  console_.paymentRules.locksDisputes = false;
  await stripe.send(stripe.dispute(session, { event: 'created', status: 'lost', id: `dp_${session.id}` }));
  console_.paymentRules.locksDisputes = true;
  expect([await balanceOf(buyer), await lockOf(buyer)]).toEqual([START, null]);
});

test('an older event of a dispute that is repeated changes nothing', async () => {
  const buyer = await addBuyer();
  const session = await buy(buyer);
  const older = stripe.dispute(session, { event: 'created', status: 'needs_response', id: 'dp_d' });
  // Of the same second, so that only the id tells which is known.
  const newer = {
    ...stripe.dispute(session, { event: 'updated', status: 'warning_under_review', id: 'dp_d' }),
    created: older.created,
  };
  for (const event of [older, newer, older]) expect(await stripe.send(event)).toBe(200);
  expect(await balanceOf(buyer)).toBe(START + 1_000);
  await expectSoundBooks();
});

test('a refund and a dispute that arrive before the payment count too', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  await Promise.all([
    stripe.send(stripe.refunded(session, 250)),
    stripe.send(stripe.dispute(session, { event: 'created', status: 'needs_response', id: 'dp_c', amount: 250 })),
    stripe.send(stripe.paid(session)),
  ]);
  expect(await balanceOf(buyer)).toBe(START + 500);
  await expectSoundBooks();
});

test('a checkout that a restored backup does not know is rebuilt and credited once', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  const [paid, refund] = [stripe.paid(session), stripe.refunded(session, 250)];
  const dispute = stripe.dispute(session, { event: 'created', status: 'needs_response', id: 'dp_r', amount: 250 });
  await owner.pool.query('DELETE FROM checkout WHERE id = $1', [session.checkoutId]);
  const parked = async () =>
    (await owner.pool.query('SELECT id FROM parked_payment_event ORDER BY created_at, id')).rows.map(({ id }) => id);
  // They wait for the payment, which is sent again too.
  for (const event of [refund, dispute]) expect(await stripe.send(event)).toBe(200);
  expect([await balanceOf(buyer), (await parked()).sort()]).toEqual([START, [refund.id, dispute.id].sort()]);
  for (const event of [paid, paid, refund, dispute]) expect(await stripe.send(event)).toBe(200);
  expect([await balanceOf(buyer), await statusOf(buyer, session), await parked()]).toEqual([START + 500, 'paid', []]);
  // What the event says must fit the order that was sent to Stripe.
  const other = await begin(buyer);
  await owner.pool.query('DELETE FROM checkout WHERE id = $1', [other.checkoutId]);
  const event = stripe.paid(other) as { data: { object: object } };
  Object.assign(event.data.object, { amount_total: 1 });
  expect(await stripe.send(event as never)).toBe(400);
  expect(await balanceOf(buyer)).toBe(START + 500);
  await expectSoundBooks();
});

test('a dispute is refused while Stripe does not say whose payment it is, and counts when it is sent again', async () => {
  const buyer = await addBuyer();
  const session = await begin(buyer);
  const dispute = stripe.dispute(session, { event: 'created', status: 'needs_response', id: 'dp_u' });
  stripe.failWith(500);
  expect(await stripe.send(dispute)).toBe(503);
  stripe.failWith(null);
  for (const event of [dispute, stripe.paid(session)]) expect(await stripe.send(event)).toBe(200);
  expect(await balanceOf(buyer)).toBe(START);
  await expectSoundBooks();
});

test('events of other payments and other kinds are accepted and change nothing', async () => {
  const before = await owner.pool.query('SELECT count(*) FROM transfer');
  for (const event of [
    stripe.event('invoice.paid', { id: 'in_1' }),
    stripe.event('checkout.session.completed', { client_reference_id: 'order 7', payment_status: 'paid' }),
    stripe.event('checkout.session.completed', {
      client_reference_id: '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c10',
      payment_status: 'paid',
      payment_intent: 'pi_elsewhere',
      amount_total: 5,
      currency: 'usd',
    }),
    stripe.event('charge.refunded', { payment_intent: 'pi_elsewhere', amount_refunded: 5 }),
    stripe.event('charge.dispute.created', { id: 'dp_elsewhere', payment_intent: null, amount: 5, status: 'lost' }),
  ]) {
    expect(await stripe.send(event), String(event.type)).toBe(200);
  }
  expect((await owner.pool.query('SELECT count(*) FROM transfer')).rows).toEqual(before.rows);
});

const sign = (body: string, { secret = STRIPE_WEBHOOK_SECRET, ageSeconds = 0 } = {}) => {
  const t = Math.floor(Date.now() / 1000) - ageSeconds;
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')},v0=00`;
};

test.each([
  ['no signature', () => null],
  ['another secret', (body: string) => sign(body, { secret: 'whsec_other' })],
  ['another body', (body: string) => sign(`${body} `)],
  ['a signature older than five minutes', (body: string) => sign(body, { ageSeconds: 330 })],
  ['a signature of the future', (body: string) => sign(body, { ageSeconds: -330 })],
])('an event with %s is refused', async (_name, header) => {
  const buyer = await addBuyer();
  const body = JSON.stringify(stripe.paid(await begin(buyer)));
  const signature = header(body);
  const answer = await send(console_.publicApp, 'POST /payments/stripe', {
    body,
    headers: signature === null ? {} : { 'stripe-signature': signature },
  });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_params']);
  expect(await balanceOf(buyer)).toBe(START);
});

test('an event that is too large or no JSON is refused', async () => {
  const large = 'x'.repeat(300_000);
  for (const [body, status] of [
    [large, 400],
    ['{', 400],
    ['{"id":"evt 1","type":"a","created":1}', 400],
  ] as const) {
    const answer = await send(console_.publicApp, 'POST /payments/stripe', {
      body,
      headers: { 'stripe-signature': sign(body) },
    });
    expect(answer.statusCode).toBe(status);
  }
});

test('the console does not receive events', async () => {
  const body = '{}';
  const answer = await console_.call('POST /payments/stripe', { body, headers: { 'stripe-signature': sign(body) } });
  expect(answer.statusCode).toBe(404);
});

test('a test account, an unknown package and a 51st unfinished purchase are refused', async () => {
  const buyer = await addBuyer();
  const problemOf = (answer: Awaited<ReturnType<typeof open>>) => [answer.statusCode, answer.json().code];
  expect(problemOf(await open(buyer, '1000-1000', buyer.testAccountId))).toEqual([400, 'invalid_params']);
  expect(problemOf(await open(buyer, '1-1'))).toEqual([400, 'invalid_params']);
  await owner.pool.query(
    `INSERT INTO checkout (id, account_id, amount, currency, coins)
     SELECT gen_random_uuid(), $1, 1, 'usd', 1 FROM generate_series(1, 50)`,
    [buyer.accountId],
  );
  expect(problemOf(await open(buyer))).toEqual([429, 'rate_limited']);
});

test('while Stripe fails, the request is repeated once and then unavailable', async () => {
  const buyer = await addBuyer();
  const before = stripe.requests();
  stripe.failWith(500);
  const answer = await open(buyer);
  stripe.failWith(null);
  expect([answer.statusCode, answer.json().code]).toEqual([503, 'unavailable']);
  expect(stripe.requests() - before).toBe(2);
  stripe.failWith(402);
  expect((await open(buyer)).statusCode).toBe(503);
  stripe.failWith(null);
  expect(stripe.requests() - before).toBe(3);
});
