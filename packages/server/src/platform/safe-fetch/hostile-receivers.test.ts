import { execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createSafeFetch, type SafePostResult } from '../safe-fetch.ts';
import type { EgressError } from './egress-error.ts';
import { drip, onRequest, startRawReceiver, writeEndlessly } from './testing/raw-receiver.ts';

const safeFetch = createSafeFetch({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
afterAll(() => safeFetch.close());

const SHORT_MS = 400;
const MAX_READ_BYTES = 65_536;
const MAX_RSS_DELTA_BYTES = 20 * 1_048_576;
// The amount that fits into the buffers of both kernels before the reader closes.
const MAX_SENT_BYTES = 16 * 1_048_576;
const ZEROS = Buffer.alloc(65_536);

const SAFE_FETCH_URL = new URL('../safe-fetch.ts', import.meta.url).href;
const SENDER = `
  const [safeFetchUrl, ...urls] = process.argv.slice(1);
  const { createSafeFetch } = await import(safeFetchUrl);
  const { safePost } = createSafeFetch({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
  let sent = 0, rssDeltaBytes = 0;
  async function post(url) {
    globalThis.gc();
    const before = process.memoryUsage.rss();
    await safePost({ url, headers: {}, body: '{}' }).catch(() => {});
    return process.memoryUsage.rss() - before;
  }
  for (const url of urls) {
    await post(url);
    for (let i = 0; i < 3; i += 1, sent += 1) rssDeltaBytes = Math.max(rssDeltaBytes, await post(url));
  }
  console.log(JSON.stringify({ sent, rssDeltaBytes }));
  process.exit();
`;
const run = promisify(execFile);

type Outcome = { result?: SafePostResult; error?: EgressError; tookMs: number; sentBytes: number };

async function deliverTo(
  onAsked: (socket: Socket) => void,
  timeoutMs: number | null = SHORT_MS,
  maxReadBytes?: number,
): Promise<Outcome> {
  const receiver = await startRawReceiver({ onConnection: (socket) => onRequest(socket, () => onAsked(socket)) });
  const startedMs = performance.now();
  const outcome: Outcome = { tookMs: 0, sentBytes: 0 };
  try {
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    outcome.result = await safeFetch.safePost({
      url,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"evt_1"}',
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(maxReadBytes === undefined ? {} : { maxReadBytes }),
    });
  } catch (error) {
    outcome.error = error as EgressError;
  }
  outcome.tookMs = performance.now() - startedMs;
  await sleep(20);
  outcome.sentBytes = receiver.bytesWritten();
  await receiver.close();
  return outcome;
}

type Behaviour = (socket: Socket) => void;
type Expected = Partial<SafePostResult> | EgressError['kind'];

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

function flood(head: string, chunk: Buffer | string): Behaviour {
  const bytes = Buffer.from(chunk as string);
  return (socket) => {
    socket.write(head);
    writeEndlessly(socket, bytes);
  };
}

function trickle(head: string, chunk: string, everyMs = 20): Behaviour {
  return (socket) => {
    socket.write(head);
    drip(socket, { chunk, everyMs });
  };
}

function writeThenReset(head: string): Behaviour {
  return (socket) => {
    socket.write(head);
    setTimeout(() => socket.resetAndDestroy(), 20);
  };
}

function expectOutcome({ result, error }: Outcome, expected: Expected): void {
  if (typeof expected === 'string') expect(error).toMatchObject({ name: 'EgressError', kind: expected });
  else expect(result).toMatchObject(expected);
}

const BOMB = gzipSync(Buffer.alloc(64 * 1_048_576));
const BOMB_HEAD = `${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`;
const CUT = { status: 200, bodyEnd: 'limit' } as const;

const FLOODS: [string, Behaviour, Expected][] = [
  ['an endless body', flood(`${OK}\r\n`, ZEROS), { ...CUT, bytesRead: MAX_READ_BYTES }],
  ['a body of 1 GB', flood(`${OK}content-length: 1073741824\r\n\r\n`, ZEROS), { ...CUT, bytesRead: MAX_READ_BYTES }],
  ['an error status with an endless body', flood('HTTP/1.1 500 No\r\n\r\n', ZEROS), { status: 500, bodyEnd: 'limit' }],
  ['endless chunks', flood(CHUNKED, '1\r\nx\r\n'.repeat(9_000)), CUT],
  ['an endless chunk extension', flood(`${CHUNKED}1;`, 'x'.repeat(65_536)), { ...CUT, bytesRead: 0 }],
  ['endless trailers', flood(`${CHUNKED}0\r\n`, 'a: b\r\n'.repeat(9_000)), CUT],
  ['a gzip bomb', (socket) => socket.write(Buffer.concat([Buffer.from(BOMB_HEAD), BOMB])), { status: 200 }],
  ['endless headers', flood(OK, 'x-a: b\r\n'.repeat(8_000)), 'headers_too_large'],
  ['one endless header', flood(`${OK}x-a: `, 'b'.repeat(65_536)), 'headers_too_large'],
  ['an endless header name', flood(OK, 'b'.repeat(65_536)), 'headers_too_large'],
  ['an endless header of spaces', flood(`${OK}x-a: `, ' '.repeat(65_536)), 'headers_too_large'],
  ['an endless reason phrase', flood('HTTP/1.1 200 ', 'x'.repeat(65_536)), 'headers_too_large'],
  ['endless blank lines', flood('', '\r\n'.repeat(30_000)), 'headers_too_large'],
  ['endless interim responses', flood('', 'HTTP/1.1 103 Early\r\na: b\r\n\r\n'.repeat(500)), 'protocol'],
  ['endless 100 Continue', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)), 'protocol'],
  ['endless noise', flood('', Buffer.alloc(65_536, 0xff)), 'protocol'],
];

describe('floods', () => {
  it.each(FLOODS)('%s', async (_name, onAsked, expected) => {
    const outcome = await deliverTo(onAsked, 5_000);
    expectOutcome(outcome, expected);
    expect(outcome.result?.bytesRead ?? 0).toBeLessThanOrEqual(MAX_READ_BYTES);
    expect(outcome.tookMs).toBeLessThan(1_000);
    expect(outcome.sentBytes).toBeLessThan(MAX_SENT_BYTES);
  });

  it('do not grow the memory of the sender', async () => {
    const listening = FLOODS.map(([, onAsked]) =>
      startRawReceiver({ onConnection: (socket) => onRequest(socket, () => onAsked(socket)) }),
    );
    const receivers = await Promise.all(listening);
    const urls = receivers.map(({ port }) => `http://127.0.0.1:${port}/`);
    // In a separate process, so that the receivers do not count, and garbage-collected before each delivery, so that the
    // previous one does not.
    const flags = ['--expose-gc', '--input-type=module', '-e', SENDER];
    const { stdout } = await run(process.execPath, [...flags, SAFE_FETCH_URL, ...urls]);
    await Promise.all(receivers.map((receiver) => receiver.close()));
    const { sent, rssDeltaBytes } = JSON.parse(stdout) as { sent: number; rssDeltaBytes: number };
    expect(sent).toBe(FLOODS.length * 3);
    expect(rssDeltaBytes).toBeLessThan(MAX_RSS_DELTA_BYTES);
  });

  it.each([
    [16_000, { status: 200 }],
    [16_500, 'headers_too_large' as const],
  ])('headers of %d bytes: %o', async (size, expected) => {
    const outcome = await deliverTo((socket) =>
      socket.end(`${OK}x-a: ${'b'.repeat(size)}\r\n\r\n${'x'.repeat(60_000)}`),
    );
    expectOutcome(outcome, expected);
  });

  it('stop at the limit the caller sets', async () => {
    const { result } = await deliverTo(flood(`${OK}\r\n`, ZEROS), SHORT_MS, 1_000);
    expect(result).toMatchObject({ ...CUT, bytesRead: 1_000 });
  });
});

describe.concurrent('delays', () => {
  it.each<[string, Behaviour, Expected]>([
    ['no answer', () => {}, 'timeout'],
    ['a slow status line', trickle('HTTP/1.1 200 ', 'x'), 'timeout'],
    ['slow headers', trickle(OK, 'a: b\r\n'), 'timeout'],
    ['slow interim responses', trickle('', 'HTTP/1.1 103 Early\r\n\r\n', 60), 'timeout'],
    ['a slow body', trickle(`${OK}\r\n`, 'x'), { status: 200, bodyEnd: 'timeout' }],
    [
      'a body that never arrives',
      (socket) => socket.write(`${OK}content-length: 5\r\n\r\n`),
      { status: 200, bodyEnd: 'timeout', bytesRead: 0 },
    ],
  ])('%s', async (_name, onAsked, expected) => {
    const outcome = await deliverTo(onAsked);
    expectOutcome(outcome, expected);
    expect(outcome.tookMs).toBeGreaterThan(SHORT_MS - 20);
    expect(outcome.tookMs).toBeLessThan(SHORT_MS + 600);
  });

  it('a receiver that accepts and never reads', async () => {
    const receiver = await startRawReceiver({ onConnection: (socket) => socket.pause() });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const body = Buffer.alloc(32 * 1_048_576);
    await expect(safeFetch.safePost({ url, headers: {}, body, timeoutMs: SHORT_MS })).rejects.toMatchObject({
      kind: 'timeout',
    });
    await receiver.close();
  });

  it('a response just before the timeout counts, one just after does not', async () => {
    const answerAfter = (ms: number) => (s: Socket) => void setTimeout(() => s.end('HTTP/1.1 200 OK\r\n\r\n'), ms);
    const [inside, outside] = await Promise.all([
      deliverTo(answerAfter(700), 1_000),
      deliverTo(answerAfter(1_300), 1_000),
    ]);
    expect(inside?.result?.status).toBe(200);
    expect(outside?.error?.kind).toBe('timeout');
  });

  it('end after ten seconds by default', async () => {
    const outcome = await deliverTo(trickle(OK, 'a: b\r\n', 500), null);
    expect(outcome.error).toMatchObject({ kind: 'timeout', message: 'No response within 10 s.' });
    expect(outcome.tookMs).toBeGreaterThan(9_900);
    expect(outcome.tookMs).toBeLessThan(10_300);
  });
});

describe('invalid responses', () => {
  it.each<[string, Behaviour, EgressError['kind']]>([
    ['HTTP/0.9', (s) => s.end('<html>hello</html>'), 'protocol'],
    ['an HTTP/2 preface', (s) => s.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 'protocol'],
    ['an SSH greeting', (s) => s.end('SSH-2.0-OpenSSH_9.2\r\n'), 'protocol'],
    [
      'an unsolicited upgrade',
      (s) => s.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
      'protocol',
    ],
    [
      'two content lengths',
      (s) => s.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
      'protocol',
    ],
    ['a four-digit status', (s) => s.end('HTTP/1.1 2000 OK\r\n\r\n'), 'protocol'],
    ['a close without a response', (s) => s.end(), 'reset'],
    ['a reset', (s) => s.resetAndDestroy(), 'reset'],
    ['half a header and a reset', writeThenReset(`${OK}x-a: `), 'reset'],
    ['half a header and a close', (s) => s.end('HTTP/1.1 200 OK\r\nx-a: '), 'reset'],
  ])('%s', async (_name, onAsked, kind) => {
    const { error, result } = await deliverTo(onAsked, 2_000);
    expect(result).toBeUndefined();
    expect(error).toMatchObject({ name: 'EgressError', kind });
  });

  it('a closed port', async () => {
    const receiver = await startRawReceiver({ onConnection: () => {} });
    await receiver.close();
    const post = safeFetch.safePost({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}' });
    await expect(post).rejects.toMatchObject({ kind: 'connect', message: 'The host refused the connection.' });
  });
});

describe('truncated responses', () => {
  it.each<[string, Behaviour]>([
    ['a reset in the body', writeThenReset(`${OK}content-length: 9\r\n\r\nabc`)],
    ['a close in the body', (s) => s.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
    ['a broken chunk', (s) => s.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nxyz')],
  ])('%s: the status counts', async (_name, onAsked) => {
    const { result } = await deliverTo(onAsked);
    expect(result).toMatchObject({ status: 200, excerpt: 'abc', bodyEnd: 'broken' });
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('%d is returned and not followed', async (status) => {
    const target = await startRawReceiver({ onConnection: () => {} });
    const location = `http://127.0.0.1:${target.port}/`;
    const { result } = await deliverTo((s) =>
      s.end(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(result).toMatchObject({ status, bodyEnd: 'complete' });
    expect(target.connectionCount()).toBe(0);
    await target.close();
  });
});
