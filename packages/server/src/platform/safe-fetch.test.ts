import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { onRequest, type RawReceiver, startRawReceiver } from './safe-fetch/testing/raw-receiver.ts';
import { createSafeFetch, type SafeFetch, type SafeFetchOptions } from './safe-fetch.ts';

const SANDBOX = { allowHttp: true, allowCidrs: ['127.0.0.0/8'] };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

function create(options: SafeFetchOptions = {}): SafeFetch {
  const safeFetch = createSafeFetch({ ...SANDBOX, ...options });
  open.unshift(safeFetch);
  return safeFetch;
}

async function listen(answer: (socket: Socket, request: string, count: number) => void): Promise<RawReceiver> {
  let count = 0;
  const receiver = await startRawReceiver({
    onConnection: (socket) => onRequest(socket, (request) => answer(socket, request, ++count)),
  });
  open.push(receiver);
  return receiver;
}

function post(safeFetch: SafeFetch, receiver: RawReceiver, reuseKey?: string) {
  const url = `http://127.0.0.1:${receiver.port}/hook?a=1`;
  return safeFetch.safePost({ url, headers: {}, body: '{}', timeoutMs: 2_000, ...(reuseKey ? { reuseKey } : {}) });
}

describe('safePost', () => {
  it('sends exactly the given headers and body', async () => {
    let seen = '';
    const receiver = await listen((socket, request) => {
      seen = request;
      socket.end(OK);
    });
    const result = await create().safePost({
      url: `http://127.0.0.1:${receiver.port}/hook?a=%20b`,
      headers: { 'content-type': 'application/json', 'service-signature': 't=1,v1=2' },
      body: Buffer.from('{"id":"evt_1"}'),
    });
    expect(seen).toBe(
      `POST /hook?a=%20b HTTP/1.1\r\nhost: 127.0.0.1:${receiver.port}\r\nconnection: keep-alive\r\n` +
        'content-type: application/json\r\nservice-signature: t=1,v1=2\r\ncontent-length: 14\r\n\r\n{"id":"evt_1"}',
    );
    expect(result).toMatchObject({ status: 200, excerpt: 'ok', bytesRead: 2, bodyEnd: 'complete' });
    expect(result.headersMs).toBeGreaterThan(0);
    expect(result.totalMs).toBeGreaterThanOrEqual(result.headersMs);
    expect(result.totalMs).toBeLessThan(1_000);
  });

  it('keeps at most 4 KB of the body, as text', async () => {
    const body = `\u001b[31m${'x'.repeat(9_000)}`;
    const receiver = await listen((socket) =>
      socket.end(`HTTP/1.1 422 No\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    const result = await post(create(), receiver);
    expect(result).toMatchObject({ status: 422, bytesRead: body.length, bodyEnd: 'complete' });
    expect(result.excerpt).toMatch(/^\u00b7\[31mx{4000}/);
    expect(Buffer.byteLength(result.excerpt)).toBe(4_096);
  });

  it.each([200, 201, 204, 299, 304, 400, 404, 410, 429, 500, 503, 599])('returns status %d', async (status) => {
    const receiver = await listen((socket) => socket.end(`HTTP/1.1 ${status} X\r\n\r\n`));
    expect((await post(create(), receiver)).status).toBe(status);
  });

  it('skips interim responses', async () => {
    const receiver = await listen((socket) => socket.end(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`));
    expect((await post(create(), receiver)).status).toBe(200);
  });

  it('throws a plain error when a header cannot be sent', async () => {
    const receiver = await listen((socket) => socket.end(OK));
    const url = `http://127.0.0.1:${receiver.port}/`;
    const sending = create().safePost({ url, headers: { 'x-a': 'b\r\nx-c: d' }, body: '{}' });
    await expect(sending).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    expect(receiver.connectionCount()).toBe(0);
  });

  it('runs fifty concurrent requests', async () => {
    const receiver = await listen((socket) => void setTimeout(() => socket.write(OK), 50));
    const safeFetch = create();
    const results = await Promise.all(Array.from({ length: 50 }, () => post(safeFetch, receiver)));
    expect(results.every((result) => result.status === 200)).toBe(true);
  });
});

describe('connections', () => {
  const keepAlive = (socket: Socket) => socket.write(OK);

  it('are not reused without a key', async () => {
    const receiver = await listen(keepAlive);
    const safeFetch = create();
    for (let i = 0; i < 3; i += 1) await post(safeFetch, receiver);
    expect(receiver.connectionCount()).toBe(3);
  });

  it('are reused under the same key only', async () => {
    const receiver = await listen(keepAlive);
    const safeFetch = create();
    for (let i = 0; i < 5; i += 1) await post(safeFetch, receiver, 'a');
    expect(receiver.connectionCount()).toBe(1);
    for (let i = 0; i < 5; i += 1) await post(safeFetch, receiver, 'b');
    expect(receiver.connectionCount()).toBe(2);
  });

  it('are not reused when the receiver says close', async () => {
    const receiver = await listen((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`),
    );
    const safeFetch = create();
    for (let i = 0; i < 3; i += 1) expect((await post(safeFetch, receiver, 'a')).status).toBe(200);
    expect(receiver.connectionCount()).toBe(3);
  });

  it('are not reused after a truncated body', async () => {
    const long = Buffer.alloc(70_000, 'x');
    const receiver = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 70000\r\n\r\n');
      socket.write(long);
    });
    const safeFetch = create();
    for (let i = 0; i < 2; i += 1) expect((await post(safeFetch, receiver, 'a')).bodyEnd).toBe('limit');
    expect(receiver.connectionCount()).toBe(2);
  });

  it('apply the size limit to each request separately', async () => {
    const body = 'x'.repeat(60_000);
    const receiver = await listen((socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n${body}`));
    const safeFetch = create();
    for (let i = 0; i < 5; i += 1) {
      expect(await post(safeFetch, receiver, 'a')).toMatchObject({ bytesRead: 60_000, bodyEnd: 'complete' });
    }
    expect(receiver.connectionCount()).toBe(1);
  });

  it('closed by the receiver while idle do not cost an attempt', async () => {
    const receiver = await listen((socket, _request, count) => {
      if (count === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const safeFetch = create();
    expect((await post(safeFetch, receiver, 'a')).status).toBe(200);
    expect((await post(safeFetch, receiver, 'a')).status).toBe(200);
    expect(receiver.connectionCount()).toBe(2);
  });

  it('closed long before do not cost an attempt', async () => {
    const receiver = await listen((socket) => {
      socket.write(OK);
      setTimeout(() => socket.destroy(), 20);
    });
    const safeFetch = create();
    expect((await post(safeFetch, receiver, 'a')).status).toBe(200);
    await sleep(80);
    expect((await post(safeFetch, receiver, 'a')).status).toBe(200);
  });

  it('closed on a fresh request are a failure: there is one retry, not a loop', async () => {
    const receiver = await listen((socket, _request, count) => {
      if (count === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
    const safeFetch = create();
    await post(safeFetch, receiver, 'a');
    await expect(post(safeFetch, receiver, 'a')).rejects.toMatchObject({ kind: 'reset' });
    expect(receiver.connectionCount()).toBe(2);
  });

  it('are reopened and checked again after thirty seconds', async () => {
    const receiver = await listen(keepAlive);
    let nowMs = 0;
    const answers = [['127.0.0.1'], ['127.0.0.1'], ['10.0.0.1']];
    const safeFetch = create({ clock: () => nowMs, resolver: async () => answers.shift() ?? [] });
    const url = `http://example.com:${receiver.port}/`;
    const send = () => safeFetch.safePost({ url, headers: {}, body: '{}', reuseKey: 'a' });
    await send();
    nowMs = 29_000;
    await send();
    expect(receiver.connectionCount()).toBe(1);
    nowMs = 31_000;
    await send();
    expect(receiver.connectionCount()).toBe(2);
    nowMs = 62_000;
    await expect(send()).rejects.toMatchObject({ kind: 'forbidden_address' });
  });

  it('stay open for at most 512 endpoints, the most recent ones', async () => {
    const receiver = await listen(keepAlive);
    const safeFetch = create();
    for (let i = 0; i < 526; i += 1) await post(safeFetch, receiver, `e${i}`);
    await sleep(30);
    expect(receiver.openCount()).toBe(512);
    await post(safeFetch, receiver, 'e14');
    expect(receiver.connectionCount()).toBe(526);
    await post(safeFetch, receiver, 'e13');
    expect(receiver.connectionCount()).toBe(527);
  });

  it('with unexpected data while idle are dropped', async () => {
    const receiver = await listen((socket) => {
      socket.write(OK);
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged'), 20);
    });
    const safeFetch = create();
    await post(safeFetch, receiver, 'a');
    await sleep(60);
    expect((await post(safeFetch, receiver, 'a')).excerpt).toBe('ok');
  });

  it('end with close()', async () => {
    let closed = 0;
    const receiver = await startRawReceiver({
      onConnection: (socket) => {
        socket.on('close', () => (closed += 1));
        onRequest(socket, (request) => request.includes('/hook?a=1') && socket.write(OK));
      },
    });
    open.push(receiver);
    const safeFetch = create();
    await post(safeFetch, receiver, 'a');
    const pending = safeFetch.safePost({ url: `http://127.0.0.1:${receiver.port}/slow`, headers: {}, body: '{}' });
    const settled = expect(pending).rejects.toMatchObject({ name: 'EgressError' });
    await sleep(50);
    safeFetch.close();
    await settled;
    await sleep(50);
    expect(closed).toBe(2);
  });
});
