import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSafeFetch, type SafeFetch } from '../safe-fetch.ts';
import { onRequest, type RawReceiver, startRawReceiver, writeEndlessly } from './testing/raw-receiver.ts';

const run = promisify(execFile);
const HOST = 'receiver.example.com';
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

type Certificate = { key: string; cert: string };

let folder: string;
let caPem: string;
let good: Certificate;
let safeFetch: SafeFetch;
const receivers: RawReceiver[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safe-fetch-'));
  caPem = (await selfSign('ca')).cert;
  good = await issue('good', { host: HOST, days: 2 });
  // An exception for loopback, where the names resolve: any port, but only https.
  safeFetch = createSafeFetch({
    allowCidrs: ['127.0.0.0/8'],
    allowHttp: true,
    extraCaPems: [caPem],
    resolver: async () => ['127.0.0.1'],
  });
});

afterAll(async () => {
  safeFetch.close();
  for (const receiver of receivers) await receiver.close();
  await rm(folder, { recursive: true });
});

async function read(name: string): Promise<Certificate> {
  const [key, cert] = await Promise.all([readFile(join(folder, `${name}.key`)), readFile(join(folder, `${name}.pem`))]);
  return { key: key.toString(), cert: cert.toString() };
}

async function selfSign(name: string): Promise<Certificate> {
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${name}`;
  const names = ['-addext', `subjectAltName=DNS:${HOST}`, '-keyout', `${name}.key`, '-out', `${name}.pem`];
  await run('openssl', [...args.split(' '), ...names], { cwd: folder });
  return read(name);
}

async function issue(name: string, { host, days }: { host: string; days: number }): Promise<Certificate> {
  const ask = `req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=${name} -keyout ${name}.key`;
  await run('openssl', [...ask.split(' '), '-out', `${name}.csr`, '-addext', `subjectAltName=DNS:${host}`], {
    cwd: folder,
  });
  const sign = `x509 -req -in ${name}.csr -CA ca.pem -CAkey ca.key -copy_extensions copy -out ${name}.pem -days ${days}`;
  await run('openssl', sign.split(' '), { cwd: folder });
  return read(name);
}

async function listen(tls: TlsOptions, onAsked: (socket: Socket) => void): Promise<RawReceiver> {
  const receiver = await startRawReceiver({
    tls,
    onConnection: (socket) => onRequest(socket, () => onAsked(socket)),
  });
  receivers.push(receiver);
  return receiver;
}

function post(receiver: RawReceiver, options: { reuseKey?: string; timeoutMs?: number; host?: string } = {}) {
  const url = `https://${options.host ?? HOST}:${receiver.port}/hook`;
  return safeFetch.safePost({ url, headers: {}, body: '{}', ...options });
}

describe('TLS', () => {
  it('works with a valid certificate', async () => {
    const receiver = await listen(good, (socket) => socket.end(OK));
    expect(await post(receiver)).toMatchObject({ status: 200, excerpt: 'ok' });
  });

  it('negotiates HTTP/1.1 only, and sends the host name', async () => {
    const seen: unknown[] = [];
    const receiver = await startRawReceiver({
      tls: { ...good, ALPNProtocols: ['h2', 'http/1.1'] },
      onConnection: (socket) => {
        const { alpnProtocol, servername } = socket as unknown as { alpnProtocol: string; servername: string };
        seen.push({ alpnProtocol, servername });
        onRequest(socket, () => socket.end(OK));
      },
    });
    receivers.push(receiver);
    await post(receiver);
    expect(seen).toEqual([{ alpnProtocol: 'http/1.1', servername: HOST }]);
  });

  it('reuses a connection under one key, and retries once on a stale one', async () => {
    let count = 0;
    const receiver = await listen(good, (socket) => {
      count += 1;
      if (count === 4) socket.destroy();
      else socket.write(OK);
    });
    for (let i = 0; i < 3; i += 1) await post(receiver, { reuseKey: 'a' });
    expect(receiver.connectionCount()).toBe(1);
    expect((await post(receiver, { reuseKey: 'a' })).status).toBe(200);
    expect(receiver.connectionCount()).toBe(2);
    await post(receiver, { reuseKey: 'b' });
    expect(receiver.connectionCount()).toBe(3);
  });

  it('reads no more than over plain TCP', async () => {
    const zeros = Buffer.alloc(65_536);
    const receiver = await listen(good, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      writeEndlessly(socket, zeros);
    });
    expect(await post(receiver)).toMatchObject({ status: 200, bodyEnd: 'limit', bytesRead: 65_536 });
    const headers = await listen(good, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      writeEndlessly(socket, 'a: b\r\n'.repeat(1_000));
    });
    await expect(post(headers)).rejects.toMatchObject({ kind: 'headers_too_large' });
  });

  it.each<[string, () => Promise<TlsOptions>, string]>([
    ['expired', () => issue('expired', { host: HOST, days: -1 }), 'The TLS certificate has expired.'],
    ['self-signed', () => selfSign('lonely'), 'The TLS certificate is self-signed.'],
    [
      'for another host',
      () => issue('other', { host: 'other.example.com', days: 2 }),
      'The TLS certificate is for a different host name.',
    ],
    [
      'for a wildcard one level up',
      () => issue('wild', { host: '*.receiver.example.com', days: 2 }),
      'The TLS certificate is for a different host name.',
    ],
    [
      'with an outdated protocol',
      async () => ({ ...good, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
      'The TLS handshake failed.',
    ],
  ])('refuses a certificate %s', async (_name, tls, message) => {
    let requests = 0;
    const receiver = await listen(await tls(), (socket) => {
      requests += 1;
      socket.end(OK);
    });
    await expect(post(receiver)).rejects.toMatchObject({ name: 'EgressError', kind: 'tls', message });
    expect(requests).toBe(0);
  });

  it('refuses an unknown certificate authority', async () => {
    const receiver = await listen(good, (socket) => socket.end(OK));
    const strict = createSafeFetch({
      allowCidrs: ['127.0.0.0/8'],
      allowHttp: true,
      resolver: async () => ['127.0.0.1'],
    });
    const url = `https://${HOST}:${receiver.port}/`;
    await expect(strict.safePost({ url, headers: {}, body: '{}' })).rejects.toMatchObject({ kind: 'tls' });
  });

  it('does not accept a certificate for a name on a literal address', async () => {
    const receiver = await listen(good, (socket) => socket.end(OK));
    await expect(post(receiver, { host: '127.0.0.1' })).rejects.toMatchObject({ kind: 'tls' });
  });

  it('fails with a reason when the server does not speak TLS', async () => {
    const talker = await startRawReceiver({ onConnection: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n') });
    const closer = await startRawReceiver({ onConnection: (socket) => socket.destroy() });
    receivers.push(talker, closer);
    await expect(post(talker)).rejects.toMatchObject({ kind: 'tls', message: 'The TLS handshake failed.' });
    await expect(post(closer)).rejects.toMatchObject({ kind: 'tls', message: 'The TLS handshake failed.' });
  });

  it('ends a stalled handshake after five seconds, or sooner if the caller has less time', async () => {
    const receiver = await startRawReceiver({ onConnection: () => {} });
    receivers.push(receiver);
    const startedMs = performance.now();
    const [short, long] = await Promise.allSettled([post(receiver, { timeoutMs: 300 }), post(receiver)]);
    expect(short).toMatchObject({ reason: { kind: 'timeout', message: 'No response within 0.3 s.' } });
    expect(long).toMatchObject({
      reason: { kind: 'timeout', message: 'The host did not finish the TLS handshake within 5 s.' },
    });
    expect(performance.now() - startedMs).toBeLessThan(5_500);
  });
});
