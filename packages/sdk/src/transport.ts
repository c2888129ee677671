import { ApiError, AtelierError } from './api-error.ts';
import { ConnectionError, RequestTimeoutError } from './errors.ts';
import { readProblem } from './read-problem.ts';
import { decideRetryMs, sleep } from './retry.ts';
import { VERSION } from './version.ts';

export interface RequestOptions {
  /** Aborts the request and its retries. */
  readonly signal?: AbortSignal | undefined;
  /** For each attempt. */
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

/** One response, for logs and rate limits. */
export interface ResponseInfo {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | null;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly json?: unknown;
  readonly body?: FormData | Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: RequestOptions | undefined;
}

export interface TransportSettings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch;
  readonly onResponse: ((info: ResponseInfo) => void) | undefined;
}

export interface Transport {
  readonly fetch: typeof globalThis.fetch;
  /** Sends a request, again if that can help. Every attempt has the same headers and body. */
  request<T>(call: Call): Promise<T>;
  readonly maxRetries: number;
  /** Waits before another attempt. Rethrows the error if it is final. */
  pause(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void>;
  /** One attempt that resolves when the headers have arrived. */
  open(call: Call): Promise<Response>;
}

export function createTransport(settings: TransportSettings): Transport {
  const { fetch, onResponse } = settings;

  async function attempt<T>(call: Call, number: number, read: (response: Response) => Promise<T>): Promise<T> {
    const { signal, timeoutMs = settings.timeoutMs } = call.options ?? {};
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, timeoutMs);
    try {
      const response = await fetch(settings.baseUrl + call.path + renderQuery(call.query), {
        method: call.method,
        headers: headersOf(call),
        // A redirect would turn a POST into a GET.
        redirect: 'manual',
        signal: controller.signal,
        ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
        ...(call.body === undefined ? {} : { body: call.body }),
      });
      const { status, headers } = response;
      const { method, path } = call;
      onResponse?.({ method, path, status, headers, requestId: headers.get('x-request-id'), attempt: number });
      if (!response.ok) throw readProblem(response, await response.text());
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isLate) throw new RequestTimeoutError(`No response within ${timeoutMs} ms`, { cause: error });
      if (error instanceof ApiError) throw error;
      throw new ConnectionError(describe(error), { cause: error });
    } finally {
      clearTimeout(timer);
      // The body of an open stream is read later, and its reader watches the signal.
      signal?.removeEventListener('abort', abort);
    }
  }

  function headersOf(call: Call): Record<string, string> {
    return {
      accept: 'application/json',
      'user-agent': `atelier-sdk/${VERSION}`,
      ...(settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` }),
      ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    };
  }

  return {
    fetch,
    maxRetries: settings.maxRetries,
    pause,
    async request<T>(call: Call): Promise<T> {
      const { signal, maxRetries = settings.maxRetries } = call.options ?? {};
      for (let number = 0; ; number += 1) {
        try {
          return await attempt(call, number + 1, async (response) => JSON.parse(await response.text()) as T);
        } catch (error) {
          if (number >= maxRetries) throw error;
          await pause(error, number, signal);
        }
      }
    },
    open: (call) => attempt(call, 1, async (response) => response),
  };
}

async function pause(error: unknown, failures: number, signal: AbortSignal | undefined): Promise<void> {
  const waitMs = signal?.aborted ? null : decideRetryMs(error, failures);
  if (waitMs === null) throw error;
  await sleep(waitMs, signal);
}

function renderQuery(query: Call['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

/** fetch hides the reason in a cause. */
function describe(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  const reason = cause?.message || cause?.code;
  return `The connection failed: ${message ?? error}${reason === undefined ? '' : ` (${reason})`}`;
}

/** The ids of the API have no other characters; anything else would be another path. */
export function pathId(id: string): string {
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(id) || /^\.+$/.test(id))
    throw new AtelierError(`Not an id: ${JSON.stringify(id)}`);
  return id;
}
