import type { CheckoutOrder, CoinOffer, PaymentRules, Payments } from '../domain/payments/payments.ts';
import { verifySignature } from '../domain/webhooks/signatures/verify-signature.ts';
import type { Clock } from '../platform/clock.ts';
import { errorFields, type Log } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import { readOrigin, readStripeEvent } from './read-stripe-event.ts';

interface StripeOptions {
  readonly apiUrl: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  readonly offer: Omit<CoinOffer, 'driver'>;
  readonly rules: PaymentRules;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Fixes the form of what Stripe answers, whatever the default of the Stripe account is. */
const API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 15_000;
const ATTEMPTS = 2;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Stripe Checkout: people pay on a page of Stripe, and Stripe reports what happened with signed events. */
export function createStripePayments(options: StripeOptions): Payments {
  const { offer, rules, clock, log } = options;
  /** Sends a request, a second time if that may help. The status is 0 without an answer. */
  const ask = async (what: string, request: StripeRequest) => {
    for (let attempt = 1; ; attempt += 1) {
      const { status, body } = await send(options, request).catch((error: unknown) => {
        log.warn('Stripe does not answer', { attempt, ...errorFields(error) });
        return { status: 0, body: null };
      });
      if (status >= 200 && status < 300) return { status, body };
      if (status !== 0) log.warn(`Stripe refused ${what}`, { attempt, status, reason: readReason(body) });
      const canRetry = status === 0 || status === 409 || status === 429 || status >= 500;
      if (canRetry && attempt < ATTEMPTS) continue;
      return { status, body };
    }
  };
  return {
    offer: { driver: 'stripe', ...offer },
    rules,
    async openCheckout(order) {
      const { status, body } = await ask('a checkout', {
        path: '/v1/checkout/sessions',
        form: encodeOrder(order, rules.cell),
        idempotencyKey: order.checkoutId,
      });
      const url = readUrl(body);
      if (status === 200 && url !== null) return { url };
      throw new Problem('unavailable', 'The payment provider does not answer. Nothing was charged.', {
        retryAfterSeconds: 10,
      });
    },
    async findOrigin(paymentRef) {
      const { status, body } = await ask('to show a payment', {
        path: `/v1/payment_intents/${encodeURIComponent(paymentRef)}`,
      });
      if (status === 404) return null;
      if (status === 200) return readOrigin((body ?? {}) as Record<string, unknown>);
      throw new Problem('unavailable', 'The payment provider does not show the payment.', { retryAfterSeconds: 60 });
    },
    readEvent({ body, signature }) {
      const nowSeconds = Math.floor(clock.now().getTime() / 1000);
      const check = verifySignature({ secret: options.webhookSecret, header: signature, body, nowSeconds });
      if (!check.ok) throw new Problem('invalid_params', `The signature is not valid: ${check.reason}.`);
      return readStripeEvent(body);
    },
  };
}

/** The order as the form that Stripe's API takes. */
function encodeOrder(order: CheckoutOrder, cell: string): URLSearchParams {
  const item = 'line_items[0]';
  const metadata = {
    checkout_id: order.checkoutId,
    cell,
    account_id: order.accountId,
    coins: String(order.coins),
    amount: String(order.amount),
    currency: order.currency,
  };
  return new URLSearchParams({
    mode: 'payment',
    client_reference_id: order.checkoutId,
    customer_email: order.email,
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    [`${item}[quantity]`]: '1',
    [`${item}[price_data][currency]`]: order.currency,
    [`${item}[price_data][unit_amount]`]: String(order.amount),
    [`${item}[price_data][product_data][name]`]: `${order.coins} coins`,
    // A price in another currency could not be compared with the order.
    'adaptive_pricing[enabled]': 'false',
    // On the payment too: Stripe copies it to the charge, which an event about a refund shows.
    ...Object.fromEntries(
      Object.entries(metadata).flatMap(([name, value]) => [
        [`metadata[${name}]`, value],
        [`payment_intent_data[metadata][${name}]`, value],
      ]),
    ),
  });
}

interface StripeRequest {
  readonly path: string;
  /** Sent with POST; without it the request is a GET. */
  readonly form?: URLSearchParams;
  readonly idempotencyKey?: string;
}

async function send({ apiUrl, secretKey }: StripeOptions, { path, form, idempotencyKey }: StripeRequest) {
  const response = await fetch(`${apiUrl}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${secretKey}`,
      'stripe-version': API_VERSION,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(form === undefined ? {} : { body: form.toString() }),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return { status: response.status, body: parse(Buffer.concat(chunks).toString()) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readUrl(body: unknown): string | null {
  const { url } = (body ?? {}) as { url?: unknown };
  return typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url) ? url : null;
}

/** Stripe's code and type of an error. Its message may quote what was sent. */
function readReason(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { type?: unknown; code?: unknown } };
  return [error?.type, error?.code].filter((part) => typeof part === 'string').join(' ');
}
