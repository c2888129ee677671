import { createSecureContext, getCACertificates } from 'node:tls';
import { createAddressPolicy } from './safe-fetch/address-policy.ts';
import { checkEndpointUrl } from './safe-fetch/check-url.ts';
import { createConnectionPool } from './safe-fetch/connection-pool.ts';
import { EgressError } from './safe-fetch/egress-error.ts';
import { type BodyEnd, type ExchangeResult, exchange, MAX_EXCERPT_BYTES } from './safe-fetch/exchange.ts';
import { resolveAllowed, type SocketGuard } from './safe-fetch/open-guarded-socket.ts';
import { createHostResolver, type ResolveHost } from './safe-fetch/resolve-host.ts';
import { printableExcerpt } from './text.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_READ_BYTES = 65_536;
const MAX_PARSED_URLS = 2_000;

export interface SafeFetchOptions {
  allowCidrs?: readonly string[];
  denyCidrs?: readonly string[];
  allowHttp?: boolean;
  ownHosts?: readonly string[];
  /** Certificate authorities trusted in addition to the system's, PEM. */
  extraCaPems?: readonly string[];
  dnsServers?: readonly string[];
  resolver?: ResolveHost;
  /** Monotonic milliseconds. */
  clock?: () => number;
}

export interface SafePostRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer | string;
  /** Name resolution, connect, request, headers and body together. */
  timeoutMs?: number;
  maxReadBytes?: number;
  /** Requests with the same key may share a connection for a few seconds. Without it every request opens one. */
  reuseKey?: string;
}

export interface SafePostResult {
  status: number;
  headersMs: number;
  totalMs: number;
  /** The start of the body as printable text, at most 4 KB. */
  excerpt: string;
  bytesRead: number;
  bodyEnd: BodyEnd;
}

export interface SafeFetch {
  /** Posts to an untrusted URL. Resolves with any status, 3xx included; throws EgressError when there is none. */
  safePost(request: SafePostRequest): Promise<SafePostResult>;
  /** Resolves the URL's host and throws EgressError if a request to it would be refused. Opens no connection. */
  checkTarget(url: string): Promise<void>;
  close(): void;
}

export function createSafeFetch(options: SafeFetchOptions = {}): SafeFetch {
  const clock = options.clock ?? (() => performance.now());
  const guard: SocketGuard = {
    policy: createAddressPolicy(options),
    resolve: options.resolver ?? createHostResolver(resolverOptions(options)),
    // Shared by all requests: reading the certificate authorities takes tens of milliseconds.
    secureContext: createSecureContext(
      options.extraCaPems ? { ca: [...getCACertificates('default'), ...options.extraCaPems] } : {},
    ),
  };
  const pool = createConnectionPool({ guard, clock });

  // The same endpoints repeat, and the result of the offline URL check never changes.
  const parsed = new Map<string, URL>();

  function parse(raw: string): URL {
    const known = parsed.get(raw);
    if (known !== undefined) return known;
    const checked = checkEndpointUrl(raw, options);
    if (!checked.ok) throw new EgressError('forbidden_address', checked.reason);
    const url = new URL(checked.url);
    if (parsed.size >= MAX_PARSED_URLS) parsed.delete(parsed.keys().next().value as string);
    parsed.set(raw, url);
    return url;
  }

  async function safePost(request: SafePostRequest): Promise<SafePostResult> {
    const startedMs = clock();
    const { origin, pathname, search } = parse(request.url);
    const timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const message = {
      path: pathname + search,
      headers: request.headers,
      body: request.body,
      maxReadBytes: request.maxReadBytes ?? DEFAULT_MAX_READ_BYTES,
      timeoutMs,
      deadlineMs: startedMs + timeoutMs,
    };
    const wanted = { origin, reuseKey: request.reuseKey };

    let connection = pool.takeIdle(wanted);
    let result: ExchangeResult | null = null;
    if (connection !== null) {
      try {
        result = await exchange(connection, message, clock);
      } catch (error) {
        // The server may close an idle connection just as it is reused. That is not a failure of the endpoint.
        const isStale = error instanceof EgressError && error.kind === 'reset' && connection.receivedBytes() === 0;
        if (!isStale) throw error;
      }
    }
    if (connection === null || result === null) {
      connection = pool.open(wanted);
      result = await exchange(connection, message, clock);
    }
    if (result.bodyEnd === 'complete') pool.release(connection);

    return {
      status: result.status,
      headersMs: result.headersAtMs - startedMs,
      totalMs: clock() - startedMs,
      excerpt: printableExcerpt(result.start, { maxBytes: MAX_EXCERPT_BYTES }),
      bytesRead: result.bytesRead,
      bodyEnd: result.bodyEnd,
    };
  }

  async function checkTarget(raw: string): Promise<void> {
    const url = parse(raw);
    const target = { hostname: url.hostname, port: Number(url.port), isTls: url.protocol === 'https:' };
    await resolveAllowed({ target, guard, signal: new AbortController().signal });
  }

  return { safePost, checkTarget, close: () => pool.close() };
}

function resolverOptions(options: SafeFetchOptions) {
  return {
    useHostsFile: (options.allowCidrs?.length ?? 0) > 0,
    ...(options.dnsServers ? { dnsServers: options.dnsServers } : {}),
  };
}
