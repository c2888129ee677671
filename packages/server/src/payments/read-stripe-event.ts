import type { CheckoutOrigin, PaymentChange, PaymentEvent } from '../domain/payments/payments.ts';
import { Problem } from '../platform/problem.ts';

type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const EVENT_ID = /^[\w-]{1,100}$/;
const CURRENCY = /^[a-z]{3}$/;

/** An event whose signature was verified; null if it does not concern payments for coins. */
export function readStripeEvent(body: Buffer): PaymentEvent | null {
  let event: Fields;
  try {
    event = asFields(JSON.parse(body.toString()));
  } catch {
    throw new Problem('invalid_params', 'The event is not JSON.');
  }
  const { id, type, created } = event;
  if (typeof id !== 'string' || !EVENT_ID.test(id) || typeof type !== 'string' || !isAmount(created)) {
    throw new Problem('invalid_params', 'The event has no id, type or time.');
  }
  const object = asFields(asFields(event.data).object);
  const change = readChange(type, object);
  if (change === null) return null;
  const origin = readOrigin(object);
  // A session of somebody else, on the same Stripe account.
  if (origin === null && (change.kind === 'paid' || change.kind === 'expired')) return null;
  return { id, type: type.slice(0, 100), createdAt: new Date(created * 1000), origin, change };
}

/** The checkout that a session, a charge or a payment names in its metadata. A session names it as its reference too. */
export function readOrigin(object: Fields): CheckoutOrigin | null {
  const metadata = asFields(object.metadata);
  const checkoutId = object.client_reference_id ?? metadata.checkout_id;
  if (!isUuid(checkoutId)) return null;
  const { cell, account_id: accountId, currency } = metadata;
  const [coins, amount] = [Number(metadata.coins), Number(metadata.amount)];
  const isWhole =
    typeof cell === 'string' &&
    isUuid(accountId) &&
    typeof currency === 'string' &&
    CURRENCY.test(currency) &&
    [coins, amount].every((number) => isAmount(number) && number > 0);
  return { checkoutId, order: isWhole ? { cell, accountId, coins, amount, currency } : null };
}

function readChange(type: string, object: Fields): PaymentChange | null {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readPaid(object);
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed':
      return { kind: 'expired' };
    case 'charge.refunded': {
      const paymentRef = refOf(object.payment_intent);
      const amount = object.amount_refunded;
      return paymentRef !== null && isAmount(amount) ? { kind: 'refunded', paymentRef, amount } : null;
    }
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return readDispute(object);
    default:
      return null;
  }
}

/** A session completed with a delayed payment method is not paid yet: another event follows. */
function readPaid(session: Fields): PaymentChange | null {
  const { payment_status: status, amount_total: amount, currency } = session;
  const paymentRef = refOf(session.payment_intent);
  if (status !== 'paid' || paymentRef === null || !isAmount(amount) || typeof currency !== 'string') return null;
  return { kind: 'paid', paymentRef, amount, currency };
}

/** Stripe takes the money when a dispute opens, and returns it if it is won, also by an appeal. An inquiry (`warning_*`) takes nothing. */
const TAKEN: ReadonlySet<unknown> = new Set([
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
  'lost',
]);
const FINAL: ReadonlySet<unknown> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

function readDispute(dispute: Fields): PaymentChange | null {
  const { id: disputeRef, amount, status } = dispute;
  const paymentRef = refOf(dispute.payment_intent);
  if (typeof disputeRef !== 'string' || paymentRef === null || !isAmount(amount)) return null;
  return {
    kind: 'disputed',
    paymentRef,
    disputeRef: disputeRef.slice(0, 255),
    amount,
    isTaken: TAKEN.has(status),
    isFinal: FINAL.has(status),
  };
}

/** Stripe sends an id, or the whole object where it is expanded. */
function refOf(value: unknown): string | null {
  const ref = typeof value === 'string' ? value : asFields(value).id;
  return typeof ref === 'string' && ref !== '' && ref.length <= 255 ? ref : null;
}

const asFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
