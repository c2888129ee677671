import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './schemas.ts';

const TOLERANCE_SECONDS = 300;
const HEADER = 'Service-Signature';
const SIGNATURE = /^[0-9a-f]{64}$/;

/** The bytes as they arrived. JSON that was parsed and written again has another signature. */
export type RawBody = string | Uint8Array | ArrayBuffer;
/** The headers of a request, in the form of the web or of Node, or the value of the signature header. */
export type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>> | string;

/** A project reached a share of its budget. Only endpoints that subscribe to it get it, and the feed of events has none. */
export interface BudgetReachedEvent {
  /** The same on every retry. Use it to deduplicate. */
  readonly id: string;
  readonly type: 'budget.reached';
  readonly createdAt: string;
  /** Present only on a test event. The budget does not exist. */
  readonly test?: true;
  readonly data: {
    readonly budget: {
      readonly id: string;
      /** Null: generations without a project. */
      readonly projectId: string | null;
      /** The month, UTC, as 2026-01. */
      readonly month: string;
      readonly coins: number;
      readonly spentCoins: number;
      /** The largest share that was reached, in percent. */
      readonly percent: number;
    };
  };
}

/** What an endpoint gets. `type` tells them apart. */
export type ReceivedEvent = WebhookEvent | BudgetReachedEvent;

export interface VerifyOptions {
  /** The whole signing secret with its `whsec_`. Several while one is replaced. */
  readonly secret: string | readonly string[];
  /** The name of the signature header, if the operator of the service has changed it. */
  readonly header?: string | undefined;
  /** How far the time of the signature may be from the clock: 300 seconds by default. */
  readonly toleranceSeconds?: number | undefined;
  readonly nowSeconds?: number | undefined;
}

/** Resolves if the service signed this body. Throws WebhookVerificationError otherwise. */
export async function verify(body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<void> {
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret;
  if (secrets.length === 0 || secrets.some((secret) => !secret)) throw new TypeError('The signing secret is missing');
  if (typeof body !== 'string' && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) {
    throw new TypeError('Pass the raw request body, before any JSON parsing');
  }
  const name = options.header ?? HEADER;
  const parts = readHeader(headers, name)
    .split(',')
    .map((part) => part.trim().split('=', 2) as [string, string | undefined]);
  const time = parts.find(([key]) => key === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([key, value]) => (key === 'v1' && SIGNATURE.test(value ?? '') ? [value!] : []));
  if (!/^\d{1,12}$/.test(time) || signatures.length === 0) {
    throw new WebhookVerificationError(`The header ${name} is missing or has another form than t=<seconds>,v1=<hex>`);
  }
  const { toleranceSeconds = TOLERANCE_SECONDS, nowSeconds = Date.now() / 1000 } = options;
  if (Math.abs(nowSeconds - Number(time)) > toleranceSeconds) {
    throw new WebhookVerificationError(`The signature is more than ${toleranceSeconds} seconds old or in the future`);
  }
  const signed = concat(new TextEncoder().encode(`${time}.`), toBytes(body));
  for (const secret of secrets) if (await matches(secret, signed, signatures)) return;
  throw new WebhookVerificationError('The signature does not match. Check the secret, and that the body is unchanged.');
}

/** Verifies the request and returns its event. Deduplicate on the id: an event can arrive more than once. */
export async function unwrap(body: RawBody, headers: HeaderSource, options: VerifyOptions): Promise<ReceivedEvent> {
  await verify(body, headers, options);
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as ReceivedEvent;
}

/** `subtle.verify` compares in constant time. */
async function matches(secret: string, signed: Uint8Array<ArrayBuffer>, signatures: string[]): Promise<boolean> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, ['verify']);
  const results = signatures.map((hex) => crypto.subtle.verify('HMAC', key, fromHex(hex), signed));
  return (await Promise.all(results)).includes(true);
}

function readHeader(headers: HeaderSource, name: string): string {
  if (typeof headers === 'string') return headers;
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return String(found ?? '');
}

function toBytes(body: RawBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) as string[], (pair) => Number.parseInt(pair, 16));
