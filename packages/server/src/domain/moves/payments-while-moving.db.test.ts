import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { sized } from '../../../../../test/size.ts';
import { createStripePayments } from '../../payments/stripe-payments.ts';
import {
  type LocalSession,
  type LocalStripe,
  STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET,
  startStripe,
} from '../../payments/testing/start-stripe.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { verifyBooks } from '../ledger/verify-books.ts';
import { createCheckout } from '../payments/checkouts.ts';
import type { PaymentEvent, Payments } from '../payments/payments.ts';
import { receivePaymentEvent } from '../payments/receive-payment-event.ts';
import { cancelMove, forgetMoved } from './end-move.ts';
import { carryPayments, moveAccount } from './move-account.ts';
import { createTestCell, type TestCell } from './testing/create-test-cell.ts';

const databases = { a: await openTestDatabase(), b: await openTestDatabase() };
const log = createLog({ level: 'silent' });
const START = 500;
const PRICE = { id: '1000-100', amount: 1_000, coins: 100 };
const STEPS = [
  'copy files',
  'wait for generations',
  'depart',
  'copy the rest of the files',
  'arrive',
  'verify',
  'carry payment events',
  'switch',
] as const;
/** From here on the account is at the target. */
const ARRIVED = STEPS.indexOf('verify');

interface SellingCell extends TestCell {
  readonly payments: Payments;
}

let stripe: LocalStripe;
let a: SellingCell;
let b: SellingCell;
let dir: string;
beforeAll(async () => {
  stripe = await startStripe();
  const sell = async (name: 'a' | 'b'): Promise<SellingCell> => ({
    ...(await createTestCell(name, databases[name])),
    payments: createStripePayments({
      apiUrl: stripe.url,
      secretKey: STRIPE_KEY,
      webhookSecret: STRIPE_WEBHOOK_SECRET,
      offer: { currency: 'usd', packages: [PRICE], contact: null },
      rules: { cell: name, locksDisputes: true },
      clock: systemClock,
      log,
    }),
  });
  [a, b] = [await sell('a'), await sell('b')];
  dir = await mkdtemp(join(tmpdir(), 'payments-'));
});
afterAll(async () => {
  await a.close();
  await b.close();
  await stripe[Symbol.asyncDispose]();
  await rm(dir, { recursive: true, force: true });
});
afterEach(async () => {
  for (const { cell } of [a, b]) {
    const broken = (await verifyBooks(cell)).filter(({ violations }) => violations > 0);
    expect(broken.map(({ id, first }) => ({ cell: cell.name, id, first }))).toEqual([]);
  }
});

type StripeEvent = ReturnType<LocalStripe['event']>;

/** What a cell does with an event, as at its address for Stripe. */
const deliver = ({ cell, payments }: SellingCell, event: StripeEvent) =>
  receivePaymentEvent({ db: cell.db, payments }, payments.readEvent(stripe.sign(event)) as PaymentEvent);

async function begin({ cell, payments }: SellingCell, accountId: string): Promise<LocalSession> {
  const { url } = await createCheckout(
    { db: cell.db, payments, consoleUrl: 'https://console.example.com' },
    { accountId, packageId: PRICE.id, actor: 'test', email: 'ada@example.com' },
  );
  return stripe.sessions.get(url.split('/').at(-1) as string) as LocalSession;
}

async function buy(cell: SellingCell, accountId: string): Promise<LocalSession> {
  const session = await begin(cell, accountId);
  expect(await deliver(cell, stripe.paid(session))).toBe('applied');
  return session;
}

async function balanceIn({ path }: SellingCell, accountId: string): Promise<number | undefined> {
  const rows = await path.read<{ available: number }>('SELECT available FROM account WHERE id = $1', [accountId]);
  return rows[0]?.available;
}

const parkedIn = async ({ path }: SellingCell): Promise<string[]> =>
  (await path.read<{ id: string }>('SELECT id FROM parked_payment_event')).map(({ id }) => id);

const options = (accountId: string) => ({ accountId, actor: 'test', dir });
const move = (accountId: string, onStep: (step: string) => void = () => {}, [from, to] = [a, b]) =>
  moveAccount(from.cell, to.cell, { ...options(accountId), directory: null, nginxPidFile: null, waitMs: 0, onStep });

/** Stops a move before this step, as a crash does. */
async function moveUntil(accountId: string, stop: string): Promise<void> {
  const stopAt = (step: string) => {
    if (step === stop) throw new Error(`stopped at ${step}`);
  };
  await expect(move(accountId, stopAt)).rejects.toThrow(`stopped at ${stop}`);
}

/** Purchases of an account, and the event that arrives for each of them during the move. 100 coins were paid for each. */
const CASES = {
  paid: { before: begin, event: (session: LocalSession) => stripe.paid(session), coins: 100 },
  refunded: { before: buy, event: (session: LocalSession) => stripe.refunded(session, 250), coins: 75 },
  disputed: {
    before: buy,
    event: (session: LocalSession) =>
      stripe.dispute(session, { event: 'created', status: 'needs_response', id: `dp_${session.id}`, amount: 500 }),
    coins: 50,
  },
} as const;
/** Which cells are sent an event while the move is stopped. The other gets it when the move is over. */
const ARRIVALS = [['a'], ['b'], ['a', 'b'], ['b', 'a']] as const;

async function prepare(accountId: string) {
  const prepared: Array<{ event: StripeEvent; cells: readonly ('a' | 'b')[] }> = [];
  for (const kind of Object.values(CASES)) {
    for (const cells of ARRIVALS) {
      const session = await kind.before(a, accountId);
      prepared.push({ event: kind.event(session), cells });
    }
  }
  return prepared;
}

const EXPECTED = START + ARRIVALS.length * Object.values(CASES).reduce((sum, { coins }) => sum + coins, 0);
const cellOf = (name: 'a' | 'b') => (name === 'a' ? a : b);

test.each(sized<readonly string[]>({ ci: ['depart', 'arrive', 'verify', 'carry payment events'], full: STEPS }))(
  'payments, refunds and disputes that arrive while a move is stopped before "%s" count once',
  async (stop) => {
    const { live } = await a.makePair();
    const prepared = await prepare(live.accountId);
    await moveUntil(live.accountId, stop);
    for (const { event, cells } of prepared) for (const name of cells) await deliver(cellOf(name), event);
    await move(live.accountId);
    expect(await parkedIn(a)).toEqual([]);
    // A cell that was not reached before is now: Stripe sends the event again until each cell has accepted it.
    for (const { event } of prepared) for (const cell of [b, a, b]) await deliver(cell, event);
    await carryPayments(a.cell, b.cell, live.accountId);
    expect([await balanceIn(a, live.accountId), await balanceIn(b, live.accountId)]).toEqual([0, EXPECTED]);
    expect([await parkedIn(a), await parkedIn(b)]).toEqual([[], []]);
  },
);

test.each(sized<readonly string[]>({ ci: ['depart', 'arrive'], full: STEPS.slice(0, ARRIVED) }))(
  'payments, refunds and disputes that arrive before a move is canceled at "%s" count once',
  async (stop) => {
    const { live } = await a.makePair();
    const prepared = await prepare(live.accountId);
    await moveUntil(live.accountId, stop);
    for (const { event, cells } of prepared) for (const name of cells) await deliver(cellOf(name), event);
    await cancelMove(a.cell, b.cell, options(live.accountId));
    expect(await parkedIn(a)).toEqual([]);
    for (const { event } of prepared) for (const cell of [b, a]) await deliver(cell, event);
    expect(await balanceIn(a, live.accountId)).toBe(EXPECTED);
    expect([await parkedIn(a), await parkedIn(b)]).toEqual([[], []]);
  },
);

test('events that arrive during every moment of a move count once', async () => {
  const { live } = await a.makePair();
  const prepared = await prepare(live.accountId);
  const sending: Promise<unknown>[] = [];
  const refused: Array<() => Promise<unknown>> = [];
  const send = (cell: SellingCell, event: StripeEvent) => {
    // Refused while a lock is waited for: Stripe sends it again.
    const again = () => deliver(cell, event);
    sending.push(again().catch(() => void refused.push(again)));
  };
  const queue = prepared.flatMap(({ event }) => [a, b].map((cell) => ({ cell, event })));
  const perStep = Math.ceil(queue.length / STEPS.length);
  await move(live.accountId, () => {
    for (const { cell, event } of queue.splice(0, perStep)) send(cell, event);
  });
  for (const { cell, event } of queue) send(cell, event);
  await Promise.all(sending);
  for (const again of refused) await again();
  await carryPayments(a.cell, b.cell, live.accountId);
  expect([await balanceIn(a, live.accountId), await balanceIn(b, live.accountId)]).toEqual([0, EXPECTED]);
  expect([await parkedIn(a), await parkedIn(b)]).toEqual([[], []]);
});

test('a cell that is not named stores nothing', async () => {
  const { live } = await a.makePair();
  const session = await buy(a, live.accountId);
  const events = [
    stripe.paid(session),
    stripe.refunded(session, 1_000),
    stripe.dispute(session, { event: 'created', status: 'lost', id: 'dp_foreign' }),
  ];
  const count = async () =>
    (
      await b.path.read<{ count: number }>(
        `SELECT ((SELECT count(*) FROM payment_event) + (SELECT count(*) FROM payment_refund) + (SELECT count(*) FROM payment_dispute)
           + (SELECT count(*) FROM parked_payment_event))::int AS count`,
      )
    )[0]?.count;
  const before = await count();
  for (const event of events) expect(await deliver(b, event)).toBe('foreign');
  expect(await count()).toBe(before);
});

test('an event that the first cell gets only after the move is parked there until it is carried', async () => {
  const { live } = await a.makePair();
  const [early, late] = [await begin(a, live.accountId), await begin(a, live.accountId)];
  const event = stripe.paid(early);
  await moveUntil(live.accountId, 'arrive');
  expect(await deliver(b, event)).toBe('foreign');
  await move(live.accountId);
  await forgetMoved(a.cell, { accountId: live.accountId, actor: 'test', now: true });
  expect(await deliver(a, event)).toBe('parked');
  expect(await parkedIn(a)).toEqual([event.id]);
  // Stopped after the target has it, and before it is deleted here.
  const noWrites = { ...a.cell.db, pool: { connect: () => Promise.reject(new Error('stopped')) } } as unknown as Db;
  await expect(carryPayments({ ...a.cell, db: noWrites }, b.cell, live.accountId)).rejects.toThrow('stopped');
  expect([await parkedIn(a), await balanceIn(b, live.accountId)]).toEqual([[event.id], START + 100]);
  expect(await carryPayments(a.cell, b.cell, live.accountId)).toEqual({ carried: 1, left: 0 });
  await expect(carryPayments(b.cell, a.cell, live.accountId)).rejects.toThrow('has not moved');
  expect(await balanceIn(b, live.accountId)).toBe(START + 100);
  // The target has known the purchase for longer than clocks may differ, so it got this one itself.
  await a.path.read(`UPDATE account_move SET arrived_at = now() - interval '301 seconds'`);
  const next = stripe.paid(late);
  expect([await deliver(a, next), await deliver(b, next)]).toEqual(['foreign', 'applied']);
  expect([await parkedIn(a), await balanceIn(b, live.accountId)]).toEqual([[], START + 200]);
});

test('an event that was parked is applied when the account returns', async () => {
  const { live } = await a.makePair();
  const session = await begin(a, live.accountId);
  await move(live.accountId);
  await forgetMoved(a.cell, { accountId: live.accountId, actor: 'test', now: true });
  expect(await deliver(a, stripe.paid(session))).toBe('parked');
  await move(live.accountId, undefined, [b, a]);
  expect([await parkedIn(a), await balanceIn(a, live.accountId)]).toEqual([[], START + 100]);
});

test('a refund that the target stored before the account arrived does not stop the move', async () => {
  const { live } = await a.makePair();
  const session = await buy(a, live.accountId);
  // As an earlier version did with the refund of a payment that it did not know.
  await b.path.read('INSERT INTO payment_refund (payment_ref, amount) VALUES ($1, 250)', [session.paymentIntent]);
  await move(live.accountId);
  expect(await balanceIn(b, live.accountId)).toBe(START + 75);
});

test('an event for an account that the named cell does not know is parked', async () => {
  const { live } = await a.makePair();
  const session = await begin(a, live.accountId);
  const metadata = { ...session.metadata, account_id: '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c10' };
  const event = stripe.event('checkout.session.completed', {
    ...(stripe.paid(session) as { data: { object: object } }).data.object,
    client_reference_id: '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c11',
    metadata,
  });
  expect([await deliver(b, event), await deliver(a, event)]).toEqual(['foreign', 'parked']);
  expect(await parkedIn(a)).toEqual([event.id]);
  await a.path.read('DELETE FROM parked_payment_event');
});
