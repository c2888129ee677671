import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createObjectStore, type ObjectStoreOptions } from './create-object-store.ts';
import { type ObjectStore, ObjectStoreUnavailable } from './object-store.ts';

const MB = 1024 * 1024;
const contentType = 'application/octet-stream';
const { s3 } = inject('services');
const scratch = await mkdtemp(join(tmpdir(), 'object-store-'));
afterAll(() => rm(scratch, { recursive: true, force: true }));

const directory = join(scratch, 'objects');
const drivers: Record<'s3' | 'directory', { options: ObjectStoreOptions; away: ObjectStoreOptions }> = {
  s3: {
    options: { driver: 's3', ...s3 },
    away: { driver: 's3', ...s3, endpoint: 'http://127.0.0.1:9', connectTimeoutMs: 500 },
  },
  directory: {
    options: { driver: 'directory', path: directory },
    away: { driver: 'directory', path: join(scratch, 'a-file', 'objects') },
  },
};
await writeFile(join(scratch, 'a-file'), 'not a directory');

/** Temporary data that a failed put must not leave behind. */
async function leftovers(driver: 's3' | 'directory', prefix: string): Promise<string[]> {
  if (driver === 'directory') return readdir(join(directory, '.tmp'));
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: s3.region,
    credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    forcePathStyle: true,
  });
  const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: prefix }));
  client.destroy();
  return Uploads?.map((upload) => upload.Key!) ?? [];
}

function* chunksOf(bytes: Buffer, chunkBytes: number) {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each(['s3', 'directory'] as const)('object store: %s', (driver) => {
  const prefix = `test-${randomUUID()}/`;
  const key = (name: string) => prefix + name;
  let store: ObjectStore;

  async function contentOf(name: string, range: { start?: number; end?: number } = {}): Promise<Buffer> {
    const found = await store.read({ key: key(name), ...range });
    return buffer(found!.stream);
  }

  beforeAll(() => {
    store = createObjectStore(drivers[driver].options);
  });
  afterAll(async () => {
    const left = await store.list({ prefix, limit: 5_000 });
    await store.deleteMany(left.map((object) => object.key));
    expect(await store.list({ prefix, limit: 1 })).toEqual([]);
    await store.close();
  });

  test('reads return the bytes that were put', async () => {
    const bytes = randomBytes(100_000);
    await store.putBytes({ key: key('a/b.bin'), bytes, contentType });
    const found = await store.read({ key: key('a/b.bin') });
    expect(found!.object.bytes).toBe(bytes.length);
    expect(found!.object.etag).toMatch(/^[^"]+$/);
    expect(Math.abs(Date.now() - found!.object.lastModified.getTime())).toBeLessThan(60_000);
    expect((await buffer(found!.stream)).equals(bytes)).toBe(true);
    expect(await store.head(key('a/b.bin'))).toEqual(found!.object);
  });

  test('an empty object can be stored and read', async () => {
    await store.putBytes({ key: key('empty'), bytes: new Uint8Array(), contentType });
    expect((await store.head(key('empty')))!.bytes).toBe(0);
    expect((await contentOf('empty')).length).toBe(0);
    expect(await store.putStream({ key: key('empty-2'), stream: Readable.from([]), contentType })).toEqual({
      bytes: 0,
    });
    expect((await contentOf('empty-2')).length).toBe(0);
  });

  test('a missing object is null', async () => {
    expect(await store.head(key('missing'))).toBeNull();
    expect(await store.read({ key: key('missing') })).toBeNull();
    expect(await store.read({ key: key('missing'), start: 0, end: 1 })).toBeNull();
  });

  test('a second put replaces the first', async () => {
    await store.putBytes({ key: key('twice'), bytes: Buffer.from('first'), contentType });
    await store.putBytes({ key: key('twice'), bytes: Buffer.from('second!'), contentType });
    expect((await contentOf('twice')).toString()).toBe('second!');
  });

  test.each([1, 8 * MB, 8 * MB + 1, 20 * MB])('a file of %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const path = join(scratch, randomUUID());
    await writeFile(path, bytes);
    await store.putFile({ key: key(`file-${size}`), path, contentType });
    expect(sha256(await contentOf(`file-${size}`))).toBe(sha256(bytes));
    await rm(path);
  });

  test('a missing file stores nothing', async () => {
    const put = store.putFile({ key: key('no-file'), path: join(scratch, 'nothing'), contentType });
    await expect(put).rejects.toThrow(/ENOENT/);
    expect(await store.head(key('no-file'))).toBeNull();
  });

  test.each([
    [1, 1],
    [5_000_000, 777],
    [17 * MB + 3, 1_234_567],
  ])('a stream of %i bytes in chunks of %i', async (size, chunkBytes) => {
    const bytes = randomBytes(size);
    const stream = Readable.from(chunksOf(bytes, chunkBytes));
    expect(await store.putStream({ key: key(`stream-${size}`), stream, contentType })).toEqual({ bytes: size });
    expect(sha256(await contentOf(`stream-${size}`))).toBe(sha256(bytes));
  });

  test.each([0, 1 * MB, 20 * MB])('a source that fails after %i bytes stores nothing', async (size) => {
    const failure = new Error('the client went away');
    const stream = Readable.from(
      (async function* () {
        if (size > 0) yield* chunksOf(randomBytes(size), 100_000);
        throw failure;
      })(),
    );
    await expect(store.putStream({ key: key('failed'), stream, contentType })).rejects.toBe(failure);
    expect(await store.head(key('failed'))).toBeNull();
    expect(await leftovers(driver, key('failed'))).toEqual([]);
  });

  test('a source that is destroyed stores nothing', async () => {
    const stream = new Readable({ read() {} });
    stream.push(randomBytes(10 * MB));
    setTimeout(() => stream.destroy(), 150);
    await expect(store.putStream({ key: key('cut'), stream, contentType })).rejects.toThrow();
    expect(await store.head(key('cut'))).toBeNull();
    expect(await leftovers(driver, key('cut'))).toEqual([]);
  });

  test('a failed put keeps the old object', async () => {
    await store.putBytes({ key: key('kept'), bytes: Buffer.from('old'), contentType });
    const stream = Readable.from(
      (async function* () {
        yield randomBytes(9 * MB);
        throw new Error('cut');
      })(),
    );
    await expect(store.putStream({ key: key('kept'), stream, contentType })).rejects.toThrow('cut');
    expect((await contentOf('kept')).toString()).toBe('old');
  });

  test('a long stream is not held in memory', async () => {
    const chunk = randomBytes(256 * 1024);
    let peakBytes = 0;
    const before = process.memoryUsage().arrayBuffers;
    const stream = Readable.from(
      (async function* () {
        for (let sent = 0; sent < 160 * MB; sent += chunk.length) {
          peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers - before);
          yield Buffer.from(chunk);
        }
      })(),
    );
    expect(await store.putStream({ key: key('long'), stream, contentType })).toEqual({ bytes: 160 * MB });
    expect(peakBytes).toBeLessThan(96 * MB);
    await store.deleteMany([key('long')]);
  }, 60_000);

  test('ranges are inclusive and stop at the end', async () => {
    const bytes = Buffer.from('0123456789');
    await store.putBytes({ key: key('digits'), bytes, contentType });
    expect((await contentOf('digits', { start: 0, end: 0 })).toString()).toBe('0');
    expect((await contentOf('digits', { start: 3, end: 5 })).toString()).toBe('345');
    expect((await contentOf('digits', { start: 7 })).toString()).toBe('789');
    expect((await contentOf('digits', { end: 2 })).toString()).toBe('012');
    expect((await contentOf('digits', { start: 9, end: 9_999 })).toString()).toBe('9');
    expect((await store.read({ key: key('digits'), start: 3, end: 5 }).then(drained))!.bytes).toBe(10);
    await expect(store.read({ key: key('digits'), start: 10 })).rejects.toThrow(RangeError);
    await expect(store.read({ key: key('digits'), start: 10, end: 20 })).rejects.toThrow(RangeError);
  });

  test('an abort ends the read', async () => {
    await store.putBytes({ key: key('big'), bytes: randomBytes(4 * MB), contentType });
    await expect(store.read({ key: key('big'), signal: AbortSignal.abort() })).rejects.toThrow();
    const abort = new AbortController();
    const found = await store.read({ key: key('big'), signal: abort.signal });
    const ended = finished(found!.stream.resume());
    abort.abort();
    await expect(ended).rejects.toThrow();
    expect(found!.stream.destroyed).toBe(true);
  });

  test('deletes many keys and ignores missing ones', async () => {
    const names = Array.from({ length: 1_100 }, (_, n) => key(`many/${String(n).padStart(5, '0')}`));
    await Promise.all(
      [0, 500, 999, 1_000, 1_099].map((n) => store.putBytes({ key: names[n]!, bytes: Buffer.of(1), contentType })),
    );
    expect(await store.list({ prefix: key('many/'), limit: 10 })).toHaveLength(5);
    await store.deleteMany(names);
    expect(await store.list({ prefix: key('many/'), limit: 10 })).toEqual([]);
    await store.deleteMany(names.slice(0, 3));
    await store.deleteMany([]);
  });

  test('lists in byte order, page by page', async () => {
    const names = [
      'l/a',
      'l/a-b',
      'l/a.b',
      'l/a0',
      'l/aB',
      'l/aa',
      'l/b/c',
      'l/b-c',
      'l/b/c-d',
      'l/b0/z',
      'l/b/C',
      'm',
    ];
    await Promise.all(
      names.map((name, n) => store.putBytes({ key: key(name), bytes: Buffer.alloc(n + 1), contentType })),
    );
    const expected = names.filter((name) => name.startsWith('l/')).sort((a, b) => (a < b ? -1 : 1));
    const all = await store.list({ prefix: key('l/'), limit: 100 });
    expect(all.map((object) => object.key)).toEqual(expected.map(key));
    for (const object of all) {
      expect(object.bytes).toBe(names.indexOf(object.key.slice(prefix.length)) + 1);
      expect(object.lastModified).toBeInstanceOf(Date);
    }
    for (const limit of [1, 2, 3, 7]) {
      const paged: string[] = [];
      for (let page = await store.list({ prefix: key('l/'), limit }); page.length > 0; ) {
        expect(page.length).toBeLessThanOrEqual(limit);
        paged.push(...page.map((object) => object.key));
        page = await store.list({ prefix: key('l/'), limit, startAfter: paged.at(-1)! });
      }
      expect(paged).toEqual(expected.map(key));
    }
    expect((await store.list({ prefix: key('l/b'), limit: 100 })).map((object) => object.key)).toEqual(
      expected.filter((name) => name.startsWith('l/b')).map(key),
    );
  });

  test('a key cannot escape the store', async () => {
    const bad = ['', '/', '/a', 'a/', 'a//b', '..', '../a', 'a/../b', 'a/./b', '.tmp/a', 'a/.b', 'a\\b', 'a\0b', 'a b'];
    for (const name of [...bad, 'ä', '%2e%2e/a', `a${'b'.repeat(512)}`]) {
      const bytes = Buffer.of(1);
      await expect(store.putBytes({ key: name, bytes, contentType }), name).rejects.toThrow(TypeError);
      await expect(store.putStream({ key: name, stream: Readable.from([bytes]), contentType }), name).rejects.toThrow(
        TypeError,
      );
      await expect(store.head(name), name).rejects.toThrow(TypeError);
      await expect(store.read({ key: name }), name).rejects.toThrow(TypeError);
      await expect(store.deleteMany([name]), name).rejects.toThrow(TypeError);
    }
    await expect(store.list({ prefix: '../', limit: 1 })).rejects.toThrow(TypeError);
  });

  test('the check reports whether the store is usable', async () => {
    await store.check();
    const away = createObjectStore(drivers[driver].away);
    await expect(away.check()).rejects.toThrow(ObjectStoreUnavailable);
    await expect(away.putBytes({ key: 'a', bytes: Buffer.of(1), contentType })).rejects.toThrow(ObjectStoreUnavailable);
    await away.close();
  });
});

describe('object store: s3 only', () => {
  const store = createObjectStore({ driver: 's3', ...s3 });
  afterAll(() => store.close());

  test('a presigned URL serves the object with our headers', async () => {
    const key = `test-${randomUUID()}/presigned`;
    await store.putBytes({ key, bytes: Buffer.from('hello'), contentType });
    const headers = {
      contentType: 'text/plain',
      disposition: 'attachment; filename="a.txt"',
      cacheControl: 'private, max-age=9',
    };
    for (const method of ['GET', 'HEAD'] as const) {
      const url = await store.presign!({ method, key, expiresInSeconds: 60, ...headers });
      const answer = await fetch(url, { method });
      expect(answer.status, method).toBe(200);
      expect(answer.headers.get('content-type')).toBe(headers.contentType);
      expect(answer.headers.get('content-disposition')).toBe(headers.disposition);
      expect(answer.headers.get('cache-control')).toBe(headers.cacheControl);
      expect(await answer.text()).toBe(method === 'GET' ? 'hello' : '');
      expect((await fetch(url.replace('presigned', 'presigne2'), { method })).status).toBe(403);
    }
    await store.deleteMany([key]);
  });

  test('presigned URLs use the public endpoint', async () => {
    const publicEndpoint = 'https://files.example.com';
    const shown = createObjectStore({ driver: 's3', ...s3, publicEndpoint });
    const url = await shown.presign!({
      method: 'GET',
      key: 'a/b',
      expiresInSeconds: 60,
      contentType,
      disposition: 'inline',
      cacheControl: 'no-store',
    });
    expect(url.startsWith(`${publicEndpoint}/${s3.bucket}/a/b?`)).toBe(true);
    await shown.close();
  });

  test('a missing bucket is an unavailable store, not a missing object', async () => {
    const lost = createObjectStore({ driver: 's3', ...s3, bucket: `none-${randomUUID()}` });
    await expect(lost.read({ key: 'a' })).rejects.toThrow(ObjectStoreUnavailable);
    await expect(lost.check()).rejects.toThrow(ObjectStoreUnavailable);
    await lost.close();
  });

  test.each([
    ['a wrong secret', { secretKey: 'wrong' }],
    ['an unknown access key', { accessKey: 'nobody' }],
  ])('%s is an unavailable store', async (_case, credentials) => {
    const stranger = createObjectStore({ driver: 's3', ...s3, ...credentials });
    await expect(stranger.check()).rejects.toThrow(ObjectStoreUnavailable);
    await expect(stranger.read({ key: 'a' })).rejects.toThrow(ObjectStoreUnavailable);
    await expect(stranger.putBytes({ key: 'a', bytes: Buffer.of(1), contentType })).rejects.toThrow(
      ObjectStoreUnavailable,
    );
    await stranger.close();
  });
});

describe('object store: directory only', () => {
  const path = join(scratch, 'own');
  const store = createObjectStore({ driver: 'directory', path });

  test('a reader sees the old object or the new one, never a mix', async () => {
    const [a, b] = [Buffer.alloc(2 * MB, 'a'), Buffer.alloc(2 * MB, 'b')];
    await store.putBytes({ key: 'swap', bytes: a, contentType });
    let writing = true;
    const writer = (async () => {
      for (let n = 0; n < 20; n++) await store.putBytes({ key: 'swap', bytes: n % 2 ? a : b, contentType });
      writing = false;
    })();
    let reads = 0;
    for (; writing; reads++) {
      const seen = await buffer((await store.read({ key: 'swap' }))!.stream);
      expect(seen.equals(a) || seen.equals(b)).toBe(true);
    }
    await writer;
    expect(reads).toBeGreaterThan(0);
  });

  test('files of a killed process are removed after a day and never listed', async () => {
    const [old, fresh] = [join(path, '.tmp', 'old'), join(path, '.tmp', 'fresh')];
    await Promise.all([writeFile(old, 'x'), writeFile(fresh, 'x')]);
    const yesterday = Date.now() / 1000 - 25 * 3600;
    await utimes(old, yesterday, yesterday);
    await createObjectStore({ driver: 'directory', path }).check();
    await expect(stat(old)).rejects.toThrow(/ENOENT/);
    await stat(fresh);
    expect((await store.list({ prefix: '', limit: 10 })).map((object) => object.key)).toEqual(['swap']);
  });

  test('empty folders are removed, also during concurrent puts', async () => {
    for (let round = 0; round < 30; round++) {
      const put = store.putBytes({ key: `f/${round % 2}/new`, bytes: Buffer.of(1), contentType });
      await Promise.all([put, store.deleteMany([`f/${round % 2}/old`, `f/${(round + 1) % 2}/new`])]);
      expect((await store.head(`f/${round % 2}/new`))!.bytes).toBe(1);
    }
    await store.deleteMany(['f/0/new', 'f/1/new']);
    expect((await readdir(path)).sort()).toEqual(['.tmp', 'swap']);
  });
});

async function drained(found: Awaited<ReturnType<ObjectStore['read']>>) {
  await buffer(found!.stream);
  return found!.object;
}
