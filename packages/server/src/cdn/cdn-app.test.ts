import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ObjectStore, ObjectStoreUnavailable } from '../platform/object-store/object-store.ts';
import { exchange, exchangeRaw } from './testing/exchange.ts';
import { startTestCdn, type TestCdn } from './testing/start-test-cdn.ts';

const MB = 1024 * 1024;
const bytes = randomBytes(300_000);
const edgeSecret = 'an-edge-secret-of-at-least-32-characters';

function expectProblem(answer: Awaited<ReturnType<typeof exchange>>, status: number, code: string) {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  const body = JSON.parse(answer.body.toString());
  expect(body).toMatchObject({ status, code, type: `/problems/${code}` });
  expect(body.title.length).toBeGreaterThan(0);
}

describe('files by signed link', () => {
  let cdn: TestCdn;
  let assetId: string;
  let url: string;
  let nowMs = Date.UTC(2026, 0, 1);

  beforeAll(async () => {
    cdn = await startTestCdn({ clock: { now: () => new Date(nowMs) }, edgeSecret });
    assetId = await cdn.add({ bytes });
    url = cdn.link(assetId);
  });
  afterAll(() => cdn.close());

  test('200 with the whole file and its headers', async () => {
    const { status, headers, body } = await exchange(url);
    expect(status).toBe(200);
    expect(body.equals(bytes)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(bytes.length),
      'content-disposition': 'inline; filename="clip.mp4"',
      'accept-ranges': 'bytes',
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
    });
    expect(headers['access-control-expose-headers']).toContain('Content-Range');
    expect(Date.parse(headers['last-modified']!)).toBeGreaterThan(0);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('HEAD returns the same headers and no body', async () => {
    const [got, head] = [await exchange(url), await exchange(url, { method: 'HEAD' })];
    expect(head.status).toBe(200);
    expect(head.body.length).toBe(0);
    const { date: _got, ...gotHeaders } = got.headers;
    const { date: _head, ...headHeaders } = head.headers;
    expect(headHeaders).toEqual(gotHeaders);
  });

  test('304 has the validators and no other headers of the file', async () => {
    const { headers } = await exchange(url);
    const answer = await exchange(url, { headers: { 'If-None-Match': headers.etag! } });
    expect(answer.status).toBe(304);
    expect(answer.headers.etag).toBe(headers.etag);
    expect(answer.headers['cache-control']).toBe('private, max-age=3600');
    expect(answer.headers['content-length']).toBeUndefined();
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test('max-age is the remaining lifetime of the link', async () => {
    const short = cdn.link(assetId, { expiresInSeconds: 90 });
    nowMs += 30_500;
    expect((await exchange(short)).headers['cache-control']).toBe('private, max-age=59');
    nowMs -= 30_500;
  });

  test('403 link_expired: expired', async () => {
    const short = cdn.link(assetId, { expiresInSeconds: 90 });
    nowMs += 90_000;
    const answer = await exchange(short);
    const fromEdge = await exchange(short, { headers: { 'Edge-Secret': edgeSecret } });
    const fromPretender = await exchange(short, { headers: { 'Edge-Secret': `${edgeSecret}x` } });
    nowMs -= 90_000;
    expectProblem(answer, 403, 'link_expired');
    expectProblem(fromPretender, 403, 'link_expired');
    expect(JSON.parse(answer.body.toString()).title).toBe('Link expired');
    expect(fromEdge.status).toBe(200);
    expect(fromEdge.headers['cache-control']).toBe('private, max-age=0');
  });

  test('403 link_invalid: forged, also from the edge', async () => {
    const forged = url.replace('/file?', '/poster?');
    expectProblem(await exchange(forged), 403, 'link_invalid');
    expectProblem(await exchange(forged, { headers: { 'Edge-Secret': edgeSecret } }), 403, 'link_invalid');
    expectProblem(await exchange(`http://127.0.0.1:${cdn.port}/`), 403, 'link_invalid');
    expectProblem(await exchange(`http://127.0.0.1:${cdn.port}/v1/%zz`), 403, 'link_invalid');
    expectProblem(await exchange(url, { headers: { host: 'other.example' } }), 403, 'link_invalid');
  });

  test('403 for every bit of the request flipped', async () => {
    const target = url.slice(`http://127.0.0.1:${cdn.port}`.length);
    const head = (line: Buffer, host: Buffer) =>
      Buffer.concat([
        Buffer.from('GET '),
        line,
        Buffer.from(' HTTP/1.1\r\nHost: '),
        host,
        Buffer.from('\r\nConnection: close\r\n\r\n'),
      ]);
    const line = Buffer.from(target);
    const host = Buffer.from(`127.0.0.1:${cdn.port}`);
    expect(await exchangeRaw({ port: cdn.port, head: head(line, host) })).toBe(200);
    const refusals = new Map<number | null, number>();
    for (const [part, flip] of [
      [line, (altered: Buffer) => head(altered, host)],
      [host, (altered: Buffer) => head(line, altered)],
    ] as const) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        const altered = Buffer.from(part);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        const status = await exchangeRaw({ port: cdn.port, head: flip(altered) });
        // 400: Node refuses a control character in the request before the app sees it.
        expect([403, 400], `bit ${bit} of ${part}`).toContain(status);
        refusals.set(status, (refusals.get(status) ?? 0) + 1);
      }
    }
    expect(refusals.get(403)).toBeGreaterThan(700);
  });

  test('404 not_found: deleting the row invalidates a link at once', async () => {
    const doomed = await cdn.add({ bytes: Buffer.from('soon gone') });
    const link = cdn.link(doomed);
    expect((await exchange(link)).status).toBe(200);
    cdn.rows.delete(`${doomed}/file`);
    expectProblem(await exchange(link), 404, 'not_found');
    expectProblem(await exchange(cdn.link(randomUUID())), 404, 'not_found');
  });

  test('404 not_found: a row without its object', async () => {
    const lost = await cdn.add({ bytes: Buffer.from('x') });
    await cdn.store.deleteMany([`o/${lost}/file`]);
    expectProblem(await exchange(cdn.link(lost)), 404, 'not_found');
    expect((await exchange(cdn.link(lost), { method: 'HEAD' })).status).toBe(404);
    expect(cdn.logged).toContain('object missing');
  });

  test('500 internal: an object whose size differs from its row', async () => {
    const wrong = await cdn.add({ bytes: Buffer.from('twelve bytes') });
    await cdn.store.putBytes({ key: `o/${wrong}/file`, bytes: Buffer.from('eleven byte'), contentType: 'video/mp4' });
    expectProblem(await exchange(cdn.link(wrong)), 500, 'internal');
  });

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'])(
    '405 invalid_params: %s',
    async (method) => {
      const answer = await exchange(url, { method });
      expectProblem(answer, 405, 'invalid_params');
      expect(answer.headers.allow).toBe('GET, HEAD');
    },
  );

  test('405 without waiting for the body', async () => {
    const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n`;
    expect(await exchangeRaw({ port: cdn.port, head })).toBe(405);
  });

  test('416 invalid_params: with the size', async () => {
    const answer = await exchange(url, { headers: { Range: `bytes=${bytes.length}-` } });
    expectProblem(answer, 416, 'invalid_params');
    expect(answer.headers['content-range']).toBe(`bytes */${bytes.length}`);
  });

  test('a hundred ranges return the whole file once', async () => {
    const many = Array.from({ length: 100 }, (_, n) => `${n}-${n + 1}`).join(',');
    const answer = await exchange(url, { headers: { Range: `bytes=${many}` } });
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBe(bytes.length);
  });

  test('types that a browser could execute are attachments', async () => {
    const dispositions: Record<string, string> = {
      'image/png': 'inline',
      'audio/mpeg': 'inline',
      'text/vtt': 'inline',
      'image/svg+xml': 'attachment',
      'text/html': 'attachment',
      'application/xhtml+xml': 'attachment',
      'text/xml': 'attachment',
      'application/pdf': 'attachment',
      'model/gltf-binary': 'attachment',
      'model/vnd.usdz+zip': 'attachment',
      'IMAGE/SVG+XML': 'attachment',
      'not a type': 'attachment',
    };
    for (const [mimeType, expected] of Object.entries(dispositions)) {
      const id = await cdn.add({ bytes: Buffer.from('x'), mimeType, filename: 'a.bin' });
      const { headers } = await exchange(cdn.link(id));
      expect(headers['content-disposition'], mimeType).toBe(`${expected}; filename="a.bin"`);
      if (mimeType === 'not a type') expect(headers['content-type']).toBe('application/octet-stream');
      if (mimeType === 'text/vtt') expect(headers['content-type']).toBe('text/vtt; charset=utf-8');
    }
  });

  test('a link can request an attachment', async () => {
    const { headers } = await exchange(cdn.link(assetId, { disposition: 'attachment' }));
    expect(headers['content-disposition']).toBe('attachment; filename="clip.mp4"');
  });

  test('a file name cannot break the header', async () => {
    const names: Record<string, string> = {
      'a"b.png': 'inline; filename="a_b.png"',
      'a\r\nSet-Cookie: x.png': 'inline; filename="aSet-Cookie_ x.png"',
      '../../etc/passwd': 'inline; filename="_.._etc_passwd"',
      '': 'inline; filename="file"',
      'größe.png': `inline; filename="gr__e.png"; filename*=UTF-8''gr%C3%B6%C3%9Fe.png`,
      'a\u202egnp.exe': 'inline; filename="agnp.exe"',
      [`${'x'.repeat(300)}.png`]: `inline; filename="${'x'.repeat(116)}.png"`,
    };
    for (const [filename, expected] of Object.entries(names)) {
      const id = await cdn.add({ bytes: Buffer.from('x'), mimeType: 'image/png', filename });
      expect((await exchange(cdn.link(id))).headers['content-disposition'], filename).toBe(expected);
    }
  });

  test('an empty file', async () => {
    const empty = cdn.link(await cdn.add({ bytes: Buffer.alloc(0) }));
    const answer = await exchange(empty);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-length']).toBe('0');
  });
});

describe('files from a store with faults', () => {
  const withRead = (read: ObjectStore['read'], head?: ObjectStore['head']) => ({
    wrapStore: (store: ObjectStore) => ({ read, head: head ?? store.head }),
  });
  const object = { bytes: 4 * MB, etag: 'x', lastModified: new Date() };
  const away = async () => {
    throw new ObjectStoreUnavailable('away');
  };

  test('503 unavailable with Retry-After when the store is unavailable', async () => {
    const cdn = await startTestCdn(withRead(away, away));
    const url = cdn.link(await cdn.add({ bytes: Buffer.from('x') }));
    const answer = await exchange(url);
    expectProblem(answer, 503, 'unavailable');
    expect(answer.headers['retry-after']).toBe('5');
    expect((await exchange(url, { method: 'HEAD' })).status).toBe(503);
    await cdn.close();
  });

  test('503 unavailable when the lookup fails', async () => {
    const lookup = async () => {
      throw new Error('connection terminated');
    };
    const cdn = await startTestCdn({ lookup });
    expectProblem(await exchange(cdn.link(randomUUID())), 503, 'unavailable');
    await cdn.close();
  });

  test.each(['error', 'end'] as const)('a body cut off by an %s breaks the connection', async (cut) => {
    const cdn = await startTestCdn(
      withRead(async () => ({
        object,
        stream: Readable.from(
          (async function* () {
            yield Buffer.alloc(MB);
            if (cut === 'error') throw new ObjectStoreUnavailable('cut');
          })(),
        ),
      })),
    );
    const url = cdn.link(await cdn.add({ bytes: Buffer.alloc(4 * MB) }));
    await expect(exchange(url)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect(cdn.logged).toEqual(['serving a file failed']);
    await cdn.close();
  });

  test('a client that disconnects releases the stream of the store', async () => {
    const opened: Readable[] = [];
    const cdn = await startTestCdn(
      withRead(async () => {
        const stream = new Readable({ read: () => void stream.push(Buffer.alloc(65_536)) });
        opened.push(stream);
        return { object: { ...object, bytes: 4_000 * MB }, stream };
      }),
    );
    const id = await cdn.add({ bytes: Buffer.alloc(1) });
    cdn.rows.set(`${id}/file`, { ...cdn.rows.get(`${id}/file`)!, bytes: 4_000 * MB });
    const { pathname, search, host } = new URL(cdn.link(id));
    const socket = connect(cdn.port, '127.0.0.1');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    expect(opened[0]!.destroyed).toBe(false);
    socket.resetAndDestroy();
    await expect.poll(() => opened[0]!.destroyed).toBe(true);
    expect(cdn.logged).toEqual([]);
    await cdn.close();
  });

  test('a client that disconnects aborts its request to the store', async () => {
    let aborted = false;
    let asked = false;
    const cdn = await startTestCdn(
      withRead(async ({ signal }) => {
        asked = true;
        await new Promise((_, reject) => {
          signal!.addEventListener('abort', () => {
            aborted = true;
            reject(signal!.reason);
          });
        });
        return null;
      }),
    );
    const { pathname, search, host } = new URL(cdn.link(await cdn.add({ bytes: Buffer.alloc(1) })));
    const socket = connect(cdn.port, '127.0.0.1');
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await expect.poll(() => asked).toBe(true);
    socket.destroy();
    await expect.poll(() => aborted).toBe(true);
    expect(cdn.logged).toEqual([]);
    await cdn.close();
  });

  test('a client that reads too slowly is disconnected; one above the limit is not', async () => {
    const transferLimit = { windowMs: 500, minBytesPerWindow: 64 * 1024 };
    const cdn = await startTestCdn({ transferLimit });
    const content = randomBytes(24 * MB);
    const { pathname, search, host } = new URL(cdn.link(await cdn.add({ bytes: content })));

    const stalled = connect(cdn.port, '127.0.0.1');
    stalled.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await new Promise((resolve) => stalled.once('data', resolve));
    stalled.pause();
    await expect.poll(() => cdn.logged, { timeout: 5_000 }).toEqual(['serving a file failed']);
    let got = 0;
    stalled.on('data', (chunk) => {
      got += chunk.length;
    });
    stalled.on('error', () => undefined);
    stalled.resume();
    await new Promise((resolve) => stalled.once('close', resolve));
    expect(got).toBeLessThan(content.length);

    const steady = connect(cdn.port, '127.0.0.1');
    let steadyBytes = 0;
    steady.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for await (const chunk of steady) {
      const before = steadyBytes;
      steadyBytes += chunk.length;
      if (Math.floor(before / MB) !== Math.floor(steadyBytes / MB)) await sleep(60);
    }
    expect(steadyBytes).toBeGreaterThan(content.length);
    await cdn.close();
  });
});
