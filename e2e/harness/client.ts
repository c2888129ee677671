import { randomBytes } from 'node:crypto';
import type { Generation } from '@atelier/contract';
import { Atelier, ConnectionError } from '@atelier/sdk';
import { Agent, request } from 'undici';
import { findSdkOperation, type SdkOperation } from './sdk-operations.ts';

// Tests check the responses, so their type is open.
// biome-ignore lint/suspicious/noExplicitAny: see above
export interface Answer<T = any> {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly body: T;
}

/** Whether a client has to send the same request again: nothing was done, or the outcome is unknown. */
export function isUndecided({ status, body }: Answer): boolean {
  return status === 503 || (status === 500 && String(body?.detail).startsWith('The outcome is unknown.'));
}

export interface CallOptions {
  readonly key?: string;
  readonly json?: unknown;
  readonly body?: string | Buffer | FormData;
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
}

const agent = new Agent({ connections: 256, pipelining: 1, keepAliveTimeout: 1_000 });

/** The time limits of a call are those of its connection. */
const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * Sends one request, 'METHOD /path', to a base URL: with the method that the SDK has for it, otherwise as raw HTTP. Either
 * way the test gets the response as it came, also if it is a refusal. The SDK must be able to read every success.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export async function call<T = any>(baseUrl: string, operation: string, options: CallOptions = {}): Promise<Answer<T>> {
  const found = findSdkOperation(operation, options);
  return found === null ? callRaw(baseUrl, operation, options) : callWithSdk(found, baseUrl, options);
}

async function callWithSdk<T>(operation: SdkOperation, baseUrl: string, options: CallOptions): Promise<Answer<T>> {
  const answers: Answer<T>[] = [];
  const client = new Atelier({
    baseUrl,
    apiKey: options.key,
    maxRetries: 0,
    timeoutMs: NO_LIMIT_MS,
    async fetch(url, { method, headers, body } = {}) {
      const answer = await callRaw<T>(baseUrl, `${method} ${url}`, {
        headers: headers as Record<string, string>,
        ...(typeof body === 'string' ? { body } : {}),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      });
      answers.push(answer);
      const list = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      return new Response(answer.text, { status: answer.status, headers: list });
    },
  });
  try {
    await operation.send(client);
  } catch (error) {
    const [refused] = answers;
    if (refused === undefined && error instanceof ConnectionError) throw error.cause;
    if (refused === undefined || refused.status < 400) throw error;
  }
  // The SDK reads a generation that it could not cancel; the test is about the refusal.
  return answers[0]!;
}

/** Sends one request without the SDK, for measurements of the service alone. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export async function callRaw<T = any>(
  baseUrl: string,
  operation: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const [method, path] = operation.split(' ') as [string, string];
  const headers: Record<string, string> = { ...options.headers };
  if (options.key !== undefined) headers.authorization = `Bearer ${options.key}`;
  let body = options.body;
  if (options.json !== undefined) {
    headers['content-type'] ??= 'application/json';
    body = typeof options.json === 'string' ? options.json : JSON.stringify(options.json);
  }
  const answer = await request(path.startsWith('http') ? path : `${baseUrl}${path}`, {
    method: method as 'GET',
    headers,
    body: (body ?? null) as never,
    dispatcher: agent,
    headersTimeout: options.timeoutMs ?? 30_000,
    bodyTimeout: options.timeoutMs ?? 30_000,
  });
  const text = await answer.body.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: the test looks at the text.
  }
  return { status: answer.statusCode, headers: answer.headers, text, body: parsed as T };
}

export const newIdempotencyKey = () => randomBytes(18).toString('base64url');

export interface SubmitOptions {
  readonly key: string;
  readonly prompt?: string;
  readonly params?: Record<string, unknown>;
  readonly more?: Record<string, unknown>;
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

/** A submit to the image model, at 7 coins per output. */
export function submit(baseUrl: string, options: SubmitOptions, send = call): Promise<Answer<Generation>> {
  return send<Generation>(baseUrl, 'POST /v1/generations', {
    key: options.key,
    headers: { 'idempotency-key': options.idempotencyKey ?? newIdempotencyKey() },
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
    json: {
      modelId: 'canvas',
      params: { prompt: options.prompt ?? 'sim:ok', ...options.params },
      maxCoins: 1_000_000,
      ...options.more,
    },
  });
}

/** Polls until the condition returns a value. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | false | null | undefined>,
  timeoutMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await probe();
    if (seen) return seen;
    if (Date.now() > deadline) throw new Error(`timeout after ${timeoutMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
