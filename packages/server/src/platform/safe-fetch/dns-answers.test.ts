import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSafeFetch } from '../safe-fetch.ts';
import { createAddressPolicy } from './address-policy.ts';
import { openGuardedSocket } from './open-guarded-socket.ts';
import { onRequest, type RawReceiver, startRawReceiver } from './testing/raw-receiver.ts';

const A = 1;
const AAAA = 28;

/** The answers of the test's DNS server. Other names do not exist; an empty list means no address. */
const ZONE: Record<string, { a?: number[][]; aaaa?: number[][]; isSilent?: boolean }> = {
  'home.example.com': { a: [[127, 0, 0, 1]] },
  'mixed.example.com': {
    a: [
      [93, 184, 215, 14],
      [127, 0, 0, 1],
    ],
  },
  'mapped.example.com': { a: [[93, 184, 215, 14]], aaaa: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]] },
  'nat64.example.com': { aaaa: [[0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1]] },
  'loopback6.example.com': { a: [[93, 184, 215, 14]], aaaa: [[...Array(15).fill(0), 1]] },
  'empty.example.com': {},
  'silent.example.com': { isSilent: true },
  'crowd.example.com': { a: Array.from({ length: 65 }, (_, i) => [93, 184, 215, i]) },
};

let dnsServer: UdpSocket;
let dnsServers: string[];
let receiver: RawReceiver;

beforeAll(async () => {
  receiver = await startRawReceiver({
    onConnection: (socket) => onRequest(socket, () => socket.end('HTTP/1.1 204 No Content\r\n\r\n')),
  });
  dnsServer = createSocket('udp4').on('message', (query, from) => {
    const answer = answerQuery(query);
    if (answer !== null) dnsServer.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => dnsServer.bind(0, '127.0.0.1', resolve));
  dnsServers = [`127.0.0.1:${dnsServer.address().port}`];
});

afterAll(async () => {
  dnsServer.close();
  await receiver.close();
});

function answerQuery(query: Buffer): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const entry = ZONE[labels.join('.').toLowerCase()];
  if (entry?.isSilent) return null;
  const addresses = (type === A ? entry?.a : type === AAAA ? entry?.aaaa : []) ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(entry === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);
    return record;
  });
  return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
}

describe('DNS answers', () => {
  it.each([
    ['home.example.com', 'forbidden_address'],
    ['mixed.example.com', 'forbidden_address'],
    ['mapped.example.com', 'forbidden_address'],
    ['nat64.example.com', 'forbidden_address'],
    ['loopback6.example.com', 'forbidden_address'],
    ['missing.example.com', 'dns'],
    ['empty.example.com', 'dns'],
    ['crowd.example.com', 'dns'],
  ])('%s: %s', async (hostname, kind) => {
    const before = receiver.connectionCount();
    const safeFetch = createSafeFetch({ dnsServers, allowHttp: true });
    const url = `http://${hostname}:${receiver.port}/`;
    await expect(safeFetch.safePost({ url, headers: {}, body: '{}' })).rejects.toMatchObject({ kind });
    await expect(safeFetch.checkTarget(url)).rejects.toMatchObject({ kind });
    expect(receiver.connectionCount()).toBe(before);
  });

  it('reach the receiver when the operator allows the address', async () => {
    const safeFetch = createSafeFetch({ dnsServers, allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
    const url = `http://home.example.com:${receiver.port}/`;
    expect(await safeFetch.safePost({ url, headers: {}, body: '{}' })).toMatchObject({ status: 204 });
    expect(receiver.connectionCount()).toBe(1);
  });

  it('time out after five seconds, or with the request if that is sooner', async () => {
    const safeFetch = createSafeFetch({ dnsServers });
    const post = (timeoutMs: number) =>
      safeFetch.safePost({ url: 'https://silent.example.com/', headers: {}, body: '{}', timeoutMs });
    const startedMs = performance.now();
    await expect(post(300)).rejects.toMatchObject({ kind: 'timeout' });
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    await expect(post(10_000)).rejects.toMatchObject({ kind: 'dns' });
    expect(performance.now() - startedMs).toBeLessThan(6_500);
  });

  it('do not reveal the address', async () => {
    const safeFetch = createSafeFetch({ dnsServers });
    const error = await safeFetch.checkTarget('https://home.example.com/').catch((caught: Error) => caught);
    expect(String(error)).not.toMatch(/127|home/);
  });
});

describe('rebinding', () => {
  it('is refused although the first answer was public', async () => {
    const before = receiver.connectionCount();
    const answers = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']];
    const safeFetch = createSafeFetch({ allowHttp: true, resolver: async () => answers.shift() ?? ['127.0.0.1'] });
    const url = `http://rebind.example.com:${receiver.port}/`;
    await safeFetch.checkTarget(url);
    await expect(safeFetch.safePost({ url, headers: {}, body: '{}' })).rejects.toMatchObject({
      kind: 'forbidden_address',
    });
    expect(receiver.connectionCount()).toBe(before);
  });

  it('cannot happen between check and connect: the checked address is used', async () => {
    let questions = 0;
    const resolver = async () => {
      questions += 1;
      return questions === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const safeFetch = createSafeFetch({ allowHttp: true, allowCidrs: ['127.0.0.1/32'], resolver });
    const url = `http://rebind.example.com:${receiver.port}/`;
    expect((await safeFetch.safePost({ url, headers: {}, body: '{}' })).status).toBe(204);
    expect(questions).toBe(1);
    await expect(safeFetch.safePost({ url, headers: {}, body: '{}' })).rejects.toMatchObject({
      kind: 'forbidden_address',
    });
  });

  it('of the connection itself is detected: the peer is checked before any byte is sent', async () => {
    let received = 0;
    const listener = await startRawReceiver({ onConnection: (socket) => socket.on('data', () => (received += 1)) });
    let judged = 0;
    const policy = {
      isAllowed: (ip: string) => ++judged === 1 && createAddressPolicy({ allowCidrs: ['127.0.0.0/8'] }).isAllowed(ip),
    };
    const guard = { policy, resolve: async () => ['127.0.0.1'], secureContext: createSecureContext() };
    const target = { hostname: 'example.com', port: listener.port, isTls: true };
    await expect(openGuardedSocket({ target, guard, signal: new AbortController().signal })).rejects.toMatchObject({
      kind: 'forbidden_address',
    });
    await listener.close();
    expect({ judged, received }).toEqual({ judged: 2, received: 0 });
  });

  it.each([
    ['an answer that is not an address', ['localhost']],
    ['an octal address', ['0177.0.0.1']],
    ['an address with a zone', ['fe80::1%lo']],
  ])('with %s is refused', async (_name, addresses) => {
    const safeFetch = createSafeFetch({ resolver: async () => addresses });
    await expect(safeFetch.checkTarget('https://example.com/')).rejects.toMatchObject({ kind: 'forbidden_address' });
  });

  it('by a proxy from the environment is not possible', async () => {
    const proxy = await startRawReceiver({ onConnection: (socket) => socket.end() });
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY'];
    const saved = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      const safeFetch = createSafeFetch({ allowHttp: true, allowCidrs: ['127.0.0.0/8'] });
      const url = `http://127.0.0.1:${receiver.port}/`;
      expect((await safeFetch.safePost({ url, headers: {}, body: '{}' })).status).toBe(204);
      expect(proxy.connectionCount()).toBe(0);
    } finally {
      for (const [name, value] of saved) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await proxy.close();
    }
  });
});
