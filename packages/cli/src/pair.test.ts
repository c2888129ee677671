import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, ConnectionError } from '@atelier/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { type Pairing, startPairing, waitForKey } from './pair.ts';

interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Record<string, string>;
}

/** A console that gives these answers, one after another. */
async function startConsole(...replies: Reply[]) {
  const seen: { path: string; headers: IncomingHttpHeaders; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ path: request.url!, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const { status, body, headers } = replies.shift()!;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const signal = new AbortController().signal;
const PENDING = { status: 200, body: { status: 'pending' } };
const pairing: Pairing = {
  userCode: 'WDJB-MJHT',
  deviceSecret: 's3cret',
  pairUrl: 'https://console.example.com/pair',
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  intervalSeconds: 0,
};
const problem = (status: number, code: string): Reply => ({ status, body: { status, code, detail: code } });

test('a pairing is asked for as a page of the console would', async () => {
  const { url, seen } = await startConsole({ status: 201, body: pairing });
  const wish = { deviceName: 'laptop', scopes: ['read'], monthlySpendCapCoins: null };
  expect(await startPairing(`${url}/`, wish, signal)).toEqual(pairing);
  expect(seen).toMatchObject([
    { path: '/api/pairings', body: wish, headers: { origin: url, 'x-atelier-console': '1' } },
  ]);
});

test('it waits over refusals that pass until the key arrives', async () => {
  const key = { status: 'approved', apiUrl: 'https://api.example.com', secret: 'key', key: { name: 'laptop' } };
  const { url, seen } = await startConsole(
    PENDING,
    problem(429, 'rate_limited'),
    problem(503, 'unavailable'),
    PENDING,
    { status: 200, body: key },
  );
  expect(await waitForKey(url, pairing, signal)).toEqual(key);
  expect(seen.map(({ body }) => body)).toEqual(Array(5).fill({ deviceSecret: 's3cret' }));
});

test('it ends when the pairing is denied, has ended or cannot be reached', async () => {
  const denied = await startConsole({ status: 200, body: { status: 'denied' } });
  expect(await waitForKey(denied.url, pairing, signal)).toBeNull();
  const gone = await startConsole(PENDING, problem(404, 'not_found'));
  await expect(waitForKey(gone.url, pairing, signal)).rejects.toMatchObject({ code: 'not_found' });
  const ended = { ...pairing, expiresAt: new Date(0).toISOString() };
  await expect(waitForKey('http://127.0.0.1:9', ended, signal)).rejects.toBeInstanceOf(ConnectionError);
});

test('an interrupt ends the wait with its reason', async () => {
  const reason = new Error('interrupted');
  const { url } = await startConsole(PENDING);
  const controller = new AbortController();
  const waiting = waitForKey(url, { ...pairing, intervalSeconds: 60 }, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('a redirect is not followed, and what is not the console is named', async () => {
  const moved = await startConsole({ status: 302, body: {}, headers: { location: 'https://evil.example' } });
  const wish = { deviceName: 'laptop', scopes: ['read'], monthlySpendCapCoins: null };
  await expect(startPairing(moved.url, wish, signal)).rejects.toBeInstanceOf(ConnectionError);
  const other = await startConsole({ status: 404, body: {} });
  const error = await startPairing(other.url, wish, signal).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(String(error)).toContain('is not the console');
});
