import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

export const STRIPE_KEY = 'sk_test_local';
export const STRIPE_WEBHOOK_SECRET = 'whsec_local_stripe';

type Fields = Record<string, unknown>;

export interface LocalSession {
  readonly id: string;
  readonly checkoutId: string;
  readonly amount: number;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly paymentIntent: string;
  /** Of the session, and of its payment. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly paymentMetadata: Readonly<Record<string, string>>;
  isPaid: boolean;
}

export interface LocalStripe extends AsyncDisposable {
  readonly url: string;
  readonly sessions: ReadonlyMap<string, LocalSession>;
  /** How requests for sessions are answered from now on: as Stripe does, or with this status. */
  failWith(status: number | null): void;
  /** How many requests for sessions arrived. */
  readonly requests: () => number;
  /** Where events are sent. */
  sendTo(url: string): void;
  /** Makes an event of this type, not sent yet. */
  event(type: string, object: Fields): Fields;
  paid(session: LocalSession): Fields;
  refunded(session: LocalSession, amount: number): Fields;
  dispute(session: LocalSession, given: { event: string; status: string; amount?: number; id?: string }): Fields;
  /** The bytes of an event and Stripe's signature of them. */
  sign(event: Fields): { body: Buffer; signature: string };
  /** Signs and sends an event. Returns the status of the answer. */
  send(event: Fields): Promise<number>;
}

const id = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/**
 * A server with the shape of Stripe: Checkout Sessions with idempotency keys, the page where a person pays, and events with
 * Stripe's signature, which Stripe's own library makes.
 */
export async function startStripe(): Promise<LocalStripe> {
  const sessions = new Map<string, LocalSession>();
  const answers = new Map<string, { form: string; session: LocalSession }>();
  let failure: number | null = null;
  let target = '';
  let requests = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', url);
    if (request.method === 'POST' && pathname === '/v1/checkout/sessions') {
      requests += 1;
      return createSession(request, response);
    }
    if (request.method === 'GET' && pathname.startsWith('/v1/payment_intents/')) {
      return readPayment(request, response, pathname.replace('/v1/payment_intents/', ''));
    }
    const session = sessions.get(pathname.replace('/c/pay/', ''));
    if (session === undefined) return void response.writeHead(404).end();
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end(
        `<!doctype html><title>Pay</title><h1>Pay ${session.amount} ${session.currency}</h1>
         <form method="post"><button>Pay</button></form><a href="${session.cancelUrl}">Back</a>`,
      );
    }
    session.isPaid = true;
    // The person is back before the event is sent, which is for the test to do.
    response.writeHead(303, { location: session.successUrl }).end();
  }

  function readPayment(request: IncomingMessage, response: ServerResponse, ref: string): void {
    const session = [...sessions.values()].find(({ paymentIntent }) => paymentIntent === ref);
    const isAllowed = request.headers.authorization === `Bearer ${STRIPE_KEY}`;
    const reply = replyTo(response);
    if (failure !== null) reply(failure, { error: { type: 'api_error' } });
    else if (!isAllowed) reply(401, { error: { type: 'invalid_request_error' } });
    else if (session === undefined) reply(404, { error: { code: 'resource_missing' } });
    else reply(200, { id: ref, object: 'payment_intent', metadata: session.paymentMetadata });
  }

  async function createSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readBody(request);
    const reply = replyTo(response);
    const refuse = (status: number, type: string, param?: string) =>
      reply(status, { error: { type, ...(param === undefined ? {} : { param, code: 'parameter_invalid' }) } });
    if (failure !== null) return refuse(failure, 'api_error');
    if (request.headers.authorization !== `Bearer ${STRIPE_KEY}`) return refuse(401, 'invalid_request_error');
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') {
      return refuse(400, 'invalid_request_error');
    }
    const fields = new URLSearchParams(form);
    const item = 'line_items[0]';
    const amount = Number(fields.get(`${item}[price_data][unit_amount]`));
    const currency = fields.get(`${item}[price_data][currency]`) ?? '';
    for (const [param, ok] of [
      ['mode', fields.get('mode') === 'payment'],
      ['success_url', URL.canParse(fields.get('success_url') ?? '')],
      ['unit_amount', Number.isInteger(amount) && amount > 0],
      ['currency', /^[a-z]{3}$/.test(currency)],
      ['quantity', fields.get(`${item}[quantity]`) === '1'],
      ['name', (fields.get(`${item}[price_data][product_data][name]`) ?? '') !== ''],
      ['client_reference_id', (fields.get('client_reference_id') ?? 'x').length <= 200],
    ] as const) {
      if (!ok) return refuse(400, 'invalid_request_error', param);
    }
    const key = String(request.headers['idempotency-key']);
    const known = answers.get(key);
    if (known !== undefined && known.form !== form) return refuse(400, 'idempotency_error');
    const session = known?.session ?? {
      id: id('cs_test'),
      checkoutId: fields.get('client_reference_id') ?? '',
      amount,
      currency,
      successUrl: fields.get('success_url') ?? '',
      cancelUrl: fields.get('cancel_url') ?? '',
      paymentIntent: id('pi'),
      metadata: readMap(fields, 'metadata'),
      paymentMetadata: readMap(fields, 'payment_intent_data[metadata]'),
      isPaid: false,
    };
    answers.set(key, { form, session });
    sessions.set(session.id, session);
    reply(200, { ...describe(session), url: `${url}/c/pay/${session.id}` });
  }

  const describe = (session: LocalSession): Fields => ({
    id: session.id,
    object: 'checkout.session',
    mode: 'payment',
    client_reference_id: session.checkoutId,
    amount_total: session.amount,
    currency: session.currency,
    status: session.isPaid ? 'complete' : 'open',
    payment_status: session.isPaid ? 'paid' : 'unpaid',
    payment_intent: session.isPaid ? session.paymentIntent : null,
    metadata: session.metadata,
  });

  const api: LocalStripe = {
    url,
    sessions,
    requests: () => requests,
    failWith(status) {
      failure = status;
    },
    sendTo(address) {
      target = address;
    },
    event: (type, object) => ({
      id: id('evt'),
      object: 'event',
      type,
      created: nowSeconds(),
      livemode: false,
      data: { object },
    }),
    paid: (session) => api.event('checkout.session.completed', describe(Object.assign(session, { isPaid: true }))),
    refunded: (session, amount) =>
      api.event('charge.refunded', {
        id: id('ch'),
        object: 'charge',
        amount: session.amount,
        amount_refunded: amount,
        refunded: amount === session.amount,
        currency: session.currency,
        payment_intent: session.paymentIntent,
        // A charge has the metadata of its payment. A dispute has none.
        metadata: session.paymentMetadata,
      }),
    dispute: (session, given) =>
      api.event(`charge.dispute.${given.event}`, {
        id: given.id ?? 'dp_1',
        object: 'dispute',
        amount: given.amount ?? session.amount,
        currency: session.currency,
        status: given.status,
        payment_intent: session.paymentIntent,
        metadata: {},
      }),
    sign(event) {
      const payload = JSON.stringify(event);
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: STRIPE_WEBHOOK_SECRET });
      return { body: Buffer.from(payload), signature };
    },
    async send(event) {
      const { body, signature } = api.sign(event);
      const response = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return api;
}

const replyTo = (response: ServerResponse) => (status: number, body: Fields) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** The members of a map in a form: `name[key]=value`. */
function readMap(fields: URLSearchParams, name: string): Record<string, string> {
  const members = [...fields].filter(([key]) => key.startsWith(`${name}[`));
  return Object.fromEntries(members.map(([key, value]) => [key.slice(name.length + 1, -1), value]));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
