import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type ObjectStore, ObjectStoreUnavailable } from './object-store.ts';
import { putSlice } from './put-slice.ts';
import { asked } from './s3-error.ts';
import { createS3Store } from './s3-store.ts';

const MB = 1024 * 1024;
const contentType = 'application/octet-stream';
const { s3 } = inject('services');
const prefix = `test-${randomUUID()}/`;

/** What the proxy does next. Bytes are counted over all connections since the fault was set. */
type Fault =
  | { readonly kind: 'none' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'cut-answer' | 'end-answer' | 'cut-request'; readonly afterBytes: number };

const upstream = new URL(s3.endpoint);
const sockets = new Set<Socket>();
let fault: Fault = { kind: 'none' };
let passedBytes = 0;

const wire = createServer((client) => {
  const server = connect(Number(upstream.port), upstream.hostname);
  for (const socket of [client, server]) {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }
  const over = (chunk: Buffer) => {
    passedBytes += chunk.length;
    return 'afterBytes' in fault && passedBytes > fault.afterBytes;
  };
  client.on('data', (chunk) => {
    if (fault.kind === 'silence') return;
    if (fault.kind === 'cut-request' && over(chunk)) {
      client.resetAndDestroy();
      server.destroy();
      return;
    }
    server.write(chunk);
  });
  server.on('data', (chunk) => {
    if ((fault.kind === 'cut-answer' || fault.kind === 'end-answer') && over(chunk)) {
      if (fault.kind === 'cut-answer') client.resetAndDestroy();
      else client.end();
      server.destroy();
      return;
    }
    client.write(chunk);
  });
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroySoon());
});

function setFault(next: Fault): void {
  fault = next;
  passedBytes = 0;
}

describe('s3 store on a broken network', () => {
  let store: ObjectStore;

  beforeAll(async () => {
    await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
    store = createS3Store({
      ...s3,
      endpoint,
      connectTimeoutMs: 500,
      requestTimeoutMs: 1_000,
      readTimeoutMs: 300,
      idleTimeoutMs: 1_000,
    });
    await store.putBytes({ key: `${prefix}four`, bytes: Buffer.alloc(4 * MB, 4), contentType });
  });
  afterEach(() => setFault({ kind: 'none' }));
  afterAll(async () => {
    const left = await store.list({ prefix, limit: 100 });
    await store.deleteMany(left.map((object) => object.key));
    await store.close();
    for (const socket of sockets) socket.destroy();
    wire.close();
  });

  test.each(['cut-answer', 'end-answer'] as const)('%s: a truncated body is an error', async (kind) => {
    setFault({ kind, afterBytes: 2 * MB });
    const found = await store.read({ key: `${prefix}four` });
    expect(found!.object.bytes).toBe(4 * MB);
    await expect(buffer(found!.stream)).rejects.toThrow(ObjectStoreUnavailable);
  });

  test('a connection cut before the response is retried, then unavailable', async () => {
    setFault({ kind: 'cut-answer', afterBytes: 0 });
    await expect(store.read({ key: `${prefix}four` })).rejects.toThrow(ObjectStoreUnavailable);
    await expect(store.head(`${prefix}four`)).rejects.toThrow(ObjectStoreUnavailable);
    await expect(store.list({ prefix, limit: 1 })).rejects.toThrow(ObjectStoreUnavailable);
    await expect(store.deleteMany([`${prefix}other`])).rejects.toThrow(ObjectStoreUnavailable);
    await expect(store.check()).rejects.toThrow(ObjectStoreUnavailable);
  });

  test('a server that never responds times out', async () => {
    setFault({ kind: 'silence' });
    const startedAt = performance.now();
    await expect(store.read({ key: `${prefix}four` })).rejects.toThrow(ObjectStoreUnavailable);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('a body that stalls times out', async () => {
    const found = await store.read({ key: `${prefix}four` });
    for (const socket of sockets) socket.pause();
    const startedAt = performance.now();
    await expect(buffer(found!.stream)).rejects.toThrow(ObjectStoreUnavailable);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    for (const socket of sockets) socket.resume();
  });

  test('a put that loses its connection stops reading its source', async () => {
    setFault({ kind: 'cut-request', afterBytes: 20 * MB });
    let readBytes = 0;
    const stream = Readable.from(
      (async function* () {
        for (; readBytes < 400 * MB; readBytes += MB) yield randomBytes(MB);
      })(),
    );
    const put = store.putStream({ key: `${prefix}lost`, stream, contentType });
    await expect(put).rejects.toThrow(ObjectStoreUnavailable);
    expect(stream.destroyed).toBe(true);
    expect(readBytes).toBeLessThan(64 * MB);
    setFault({ kind: 'none' });
    expect(await store.head(`${prefix}lost`)).toBeNull();
  });

  test('works again when the network does', async () => {
    const found = await store.read({ key: `${prefix}four` });
    expect((await buffer(found!.stream)).equals(Buffer.alloc(4 * MB, 4))).toBe(true);
  });
});

describe('s3 store against a failing server', () => {
  let requests = 0;
  let status = 500;
  let code = 'InternalError';
  const server = createHttpServer((request, response) => {
    requests++;
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/xml' }).end(request.method === 'HEAD' ? '' : body);
    });
  });
  let store: ObjectStore;
  let folder: string;
  let largeFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-s3-'));
    largeFile = join(folder, 'large');
    await writeFile(largeFile, Buffer.alloc(3 * MB));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    store = createS3Store({ ...s3, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterAll(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  test.each([500, 502, 503, 429])('%i is tried three times, then unavailable', async (answer) => {
    status = answer;
    code = 'InternalError';
    requests = 0;
    await expect(store.putBytes({ key: 'a', bytes: Buffer.of(1), contentType })).rejects.toThrow(
      ObjectStoreUnavailable,
    );
    expect(requests).toBe(3);
  });

  test.each([
    [401, 'Unauthorized'],
    [403, 'AccessDenied'],
    [403, 'InvalidAccessKeyId'],
    [403, 'SignatureDoesNotMatch'],
    [403, 'RequestTimeTooSkewed'],
    [403, 'QuotaExceeded'],
    [400, 'ExpiredToken'],
    [400, 'InvalidToken'],
    [400, 'AuthorizationHeaderMalformed'],
    [400, 'XMinioAdminBucketQuotaExceeded'],
    [301, 'PermanentRedirect'],
  ])('refused by the store: %i %s is an unavailable store for every operation', async (answer, name) => {
    status = answer;
    code = name;
    const calls = [
      store.putBytes({ key: 'a', bytes: Buffer.of(1), contentType }),
      store.putStream({ key: 'a', stream: Readable.from([Buffer.of(1)]), contentType }),
      store.putFile({ key: 'a', path: largeFile, contentType }),
      store.read({ key: 'a' }),
      store.head('a'),
      store.list({ prefix: 'a/', limit: 1 }),
      store.deleteMany(['a']),
      store.check(),
    ];
    for (const [n, each] of (await Promise.allSettled(calls)).entries()) {
      const reason = each.status === 'rejected' ? each.reason : null;
      expect(reason, `call ${n}`).toBeInstanceOf(ObjectStoreUnavailable);
    }
  });

  test('a part of a large file that is refused is an unavailable store', async () => {
    code = 'AccessDenied';
    status = 403;
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
    const file = await open(largeFile);
    const agent = new Agent();
    try {
      const slice = {
        url,
        agent,
        file,
        start: 0,
        bytes: 1,
        buffer: Buffer.alloc(1),
        signal: AbortSignal.timeout(5_000),
      };
      await expect(asked(putSlice(slice))).rejects.toThrow(ObjectStoreUnavailable);
    } finally {
      agent.destroy();
      await file.close();
    }
  });

  test('a refusal of the request itself is thrown unchanged after one try', async () => {
    status = 400;
    code = 'InvalidArgument';
    requests = 0;
    const refusal = await store.list({ prefix: 'a/', limit: 1 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal).not.toBeInstanceOf(ObjectStoreUnavailable);
    expect(requests).toBe(1);
  });

  test('without static keys and without an instance role the store is unavailable, not broken', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
    const { accessKey: _key, secretKey: _secret, ...rest } = s3;
    const bare = createS3Store(rest);
    try {
      await expect(bare.check()).rejects.toThrow(ObjectStoreUnavailable);
      await expect(bare.putBytes({ key: 'a', bytes: Buffer.of(1), contentType })).rejects.toThrow(
        ObjectStoreUnavailable,
      );
    } finally {
      await bare.close();
      vi.unstubAllEnvs();
    }
  });

  test('without static keys the default chain of credentials is used', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKey);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretKey);
    const { accessKey: _key, secretKey: _secret, ...rest } = s3;
    const bare = createS3Store(rest);
    try {
      await bare.check();
      const key = `${prefix}by-the-chain`;
      await bare.putBytes({ key, bytes: Buffer.of(1), contentType });
      await bare.deleteMany([key]);
    } finally {
      await bare.close();
      vi.unstubAllEnvs();
    }
  });

  test('an error does not reveal keys', async () => {
    status = 500;
    const refusal = await store.head('a').catch((error: unknown) => error);
    expect(JSON.stringify(refusal)).not.toContain(s3.secretKey);
    expect(String(refusal)).not.toContain(s3.accessKey);
  });
});
