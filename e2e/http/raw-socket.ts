import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** How the connection ended: closed by the server, reset, or still open at the timeout. */
  readonly end: 'closed' | 'reset' | 'open';
  readonly durationMs: number;
}

const EXCHANGE_TIMEOUT_MS = 5_000;

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true });
}

/**
 * Sends raw bytes and reads until `expected` responses are complete, or the connection ends. No HTTP client corrects the
 * bytes.
 */
export function exchange(
  url: string,
  bytes: string | Buffer,
  options: { expected?: number; timeoutMs?: number; head?: boolean } = {},
): Promise<RawExchange> {
  const { expected = 1, timeoutMs = EXCHANGE_TIMEOUT_MS, head = false } = options;
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = open(url);
    const chunks: Buffer[] = [];
    const finish = (end: RawExchange['end']) => {
      clearTimeout(timer);
      socket.destroy();
      const { responses } = parseResponses(Buffer.concat(chunks), { head });
      resolve({ responses, end, durationMs: performance.now() - startedAt });
    };
    const timer = setTimeout(() => finish('open'), timeoutMs);
    socket.once('connect', () => socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (parseResponses(Buffer.concat(chunks), { head }).responses.length >= expected) finish('open');
    });
    socket.once('end', () => finish('closed'));
    socket.once('error', () => finish('reset'));
  });
}

/** Writes one byte at a time until the server closes the connection; returns when, and the response. */
export function drip(
  url: string,
  options: { head: string; body: string; everyMs: number; timeoutMs: number },
): Promise<RawExchange> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = open(url);
    const chunks: Buffer[] = [];
    let at = 0;
    const finish = (end: RawExchange['end']) => {
      clearInterval(dripper);
      clearTimeout(timer);
      socket.destroy();
      const { responses } = parseResponses(Buffer.concat(chunks), { head: false });
      resolve({ responses, end, durationMs: performance.now() - startedAt });
    };
    const dripper = setInterval(() => {
      if (options.body === '') return;
      socket.write(options.body[at % options.body.length] as string);
      at += 1;
    }, options.everyMs);
    const timer = setTimeout(() => finish('open'), options.timeoutMs);
    socket.once('connect', () => options.head !== '' && socket.write(options.head));
    socket.on('data', (chunk) => chunks.push(chunk));
    // After its FIN the server may still read: only a failed write shows that the connection is closed.
    socket.once('error', () => finish('reset'));
    socket.once('end', () => options.body === '' && finish('closed'));
  });
}

/** The complete responses at the start of the bytes. */
export function parseResponses(bytes: Buffer, options: { head: boolean }): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const blank = rest.indexOf('\r\n\r\n');
    if (blank < 0) return { responses, rest };
    const [statusLine, ...lines] = rest.subarray(0, blank).toString('latin1').split('\r\n') as [string, ...string[]];
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(statusLine.split(' ')[1]);
    const bodyless = options.head || status === 304 || status === 204 || status < 200;
    const length = bodyless ? 0 : Number(headers['content-length'] ?? 0);
    const end = blank + 4 + length;
    if (rest.length < end) return { responses, rest };
    responses.push({ status, headers, text: rest.subarray(blank + 4, end).toString('utf8') });
    rest = rest.subarray(end);
  }
}
