import type { PaymentChange, PaymentEvent } from '../domain/payments/payments.ts';
import { Problem } from '../platform/problem.ts';

type Fields = Readonly<Record<string, unknown>>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const EVENT_ID = /^[\w-]{1,100}$/;

/** An event whose signature was verified, as far as it concerns payments for coins. */
export function readStripeEvent(body: Buffer): PaymentEvent {
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
  const change = readChange(type, asFields(asFields(event.data).object));
  return { id, type: type.slice(0, 100), createdAt: new Date(created * 1000), change };
}

function readChange(type: string, object: Fields): PaymentChange | null {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return readPaid(object);
    case 'checkout.session.expired':
    case 'checkout.session.async_payment_failed': {
      const checkoutId = object.client_reference_id;
      return isUuid(checkoutId) ? { kind: 'expired', checkoutId } : null;
    }
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
  const { client_reference_id: checkoutId, payment_status: status, amount_total: amount, currency } = session;
  const paymentRef = refOf(session.payment_intent);
  if (status !== 'paid' || !isUuid(checkoutId) || paymentRef === null) return null;
  if (!isAmount(amount) || typeof currency !== 'string') return null;
  return { kind: 'paid', checkoutId, paymentRef, amount, currency };
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
