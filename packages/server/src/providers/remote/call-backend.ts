import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FormData, request } from 'undici';
import { ProviderError } from '../provider.ts';
import type { Backend } from './backend.ts';
import { BackendUnavailable, TransportError } from './backend-errors.ts';
import { explainAnswer, type Failure } from './explain-answer.ts';
import { readBytes } from './outputs/read-bytes.ts';

const MAX_ERROR_BYTES = 65_536;
const FIRST_DELAY_MS = 200;
/** The longest wait for one busy backend; then the worker retries later or elsewhere. */
const MAX_RETRY_AFTER_MS = 30_000;
/** Statuses that a gateway returns when the server behind it fails. */
const DOWN_STATUSES = new Set([502, 503, 504]);
const WAIT_STATUSES = new Set([429, 503]);
const UNTOLD = { succeeded() {}, failed() {}, left() {} };

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the backend's URL, or a full URL that has been checked. */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Statuses that `read` handles besides 2xx. */
  readonly accept?: readonly number[];
  readonly retries?: number;
  /** Without the key: for files on another host. */
  readonly anonymous?: boolean;
  /** Sent even while the circuit is open, and not reported to it: a cancel saves paid work. */
  readonly pastCircuit?: boolean;
  /**
   * A probe of a server that may be too busy to answer: it opens a new connection, and a timeout after connecting
   * counts neither as success nor as failure of the backend.
   */
  readonly probesBusyServer?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/**
 * One call with a total deadline, no redirects, and retries only where nothing can happen twice. The result is reported
 * to the backend's circuit.
 */
export async function callBackend<T>(backend: Backend, call: Call, read: (answer: Answer) => Promise<T>): Promise<T> {
  const tries = 1 + (call.retries ?? backend.retries);
  for (let tried = 1; ; tried += 1) {
    if (call.pastCircuit !== true && !backend.circuit.enter())
      throw new BackendUnavailable('unavailable', 'The backend does not respond.');
    const outcome = await attempt(backend, call, read);
    if (outcome.kind === 'done') return outcome.value;
    const { error, waitMs } = outcome;
    if (waitMs === null || tried >= tries) throw error;
    await sleep(Math.max(waitMs, FIRST_DELAY_MS * 2 ** (tried - 1)), undefined, { signal: call.signal });
  }
}

type Outcome<T> = { kind: 'done'; value: T } | { kind: 'failed'; error: unknown; waitMs: number | null };

async function attempt<T>(backend: Backend, call: Call, read: (answer: Answer) => Promise<T>): Promise<Outcome<T>> {
  const circuit = call.pastCircuit === true ? UNTOLD : backend.circuit;
  const deadline = AbortSignal.timeout(call.timeoutMs);
  const signal = AbortSignal.any([call.signal, deadline]);
  try {
    const answer = await send(backend, call, signal);
    if (isGood(answer.status, call)) {
      const value = await read(answer);
      circuit.succeeded();
      return { kind: 'done', value };
    }
    const { failure, waitMs } = await readFailure(answer);
    if (DOWN_STATUSES.has(answer.status)) circuit.failed();
    else circuit.succeeded();
    const message = backend.conceal(failure.message);
    const error = failure.retryable
      ? new BackendUnavailable(failure.code, message)
      : new ProviderError(failure.code, message);
    return { kind: 'failed', error, waitMs };
  } catch (error) {
    if (error instanceof ProviderError) {
      // It answered; the error is about the content of its response.
      circuit.succeeded();
      return { kind: 'failed', error, waitMs: null };
    }
    if (call.signal.aborted) {
      // A job's own deadline counts as a backend failure too; a lost lease does not.
      if ((call.signal.reason as Error | undefined)?.name === 'TimeoutError') circuit.failed();
      else circuit.left();
      return { kind: 'failed', error: call.signal.reason, waitMs: null };
    }
    if (deadline.aborted) {
      if (call.probesBusyServer === true) circuit.left();
      else circuit.failed();
      return { kind: 'failed', error: new BackendUnavailable('timeout', 'The backend timed out.'), waitMs: null };
    }
    circuit.failed();
    return explainTransportError(error, call);
  }
}

async function send(backend: Backend, call: Call, signal: AbortSignal): Promise<Answer> {
  const url = /^https?:\/\//.test(call.path) ? call.path : `${backend.url}${call.path}`;
  // A reused connection may have been dropped silently by the network, which would look like a busy server.
  const dispatcher = call.probesBusyServer === true ? backend.probeAgent : backend.agent;
  const { statusCode, headers, body } = await request(url, {
    method: call.method,
    dispatcher,
    reset: call.probesBusyServer === true,
    signal,
    headers: {
      accept: '*/*',
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
      ...(call.anonymous === true ? {} : backend.authorization()),
    },
    body: call.json === undefined ? (call.form ?? null) : JSON.stringify(call.json),
  });
  // An abandoned body emits an error event; the relevant error has been thrown by then.
  body.on('error', () => {});
  return { status: statusCode, headers, body };
}

function isGood(status: number, call: Call): boolean {
  return (status >= 200 && status < 300) || (call.accept?.includes(status) ?? false);
}

async function readFailure(answer: Answer): Promise<{ failure: Failure; waitMs: number | null }> {
  if (answer.status >= 300 && answer.status < 400) {
    answer.body.destroy();
    const message = 'The backend returned a redirect, which is not followed.';
    return { failure: { code: 'unavailable', message, retryable: false }, waitMs: null };
  }
  const text = await readBytes(answer.body, { maxBytes: MAX_ERROR_BYTES, cut: true });
  const failure = explainAnswer({ status: answer.status, text: text.toString('utf8') });
  return { failure, waitMs: failure.retryable && WAIT_STATUSES.has(answer.status) ? retryAfterMs(answer) : null };
}

/** Null if the backend asks for a longer wait than allowed. */
function retryAfterMs({ headers }: Answer): number | null {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  if (!Number.isFinite(waitMs)) return 0;
  return waitMs > MAX_RETRY_AFTER_MS ? null : Math.max(0, waitMs);
}

function explainTransportError(error: unknown, call: Call): Extract<Outcome<never>, { kind: 'failed' }> {
  const fault = error instanceof TransportError ? error : TransportError.of(error);
  const repeatable = call.method === 'GET' || call.method === 'DELETE' || !fault.sent;
  return {
    kind: 'failed',
    error: new BackendUnavailable('unavailable', fault.message),
    waitMs: repeatable ? 0 : null,
  };
}
