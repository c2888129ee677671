import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, exchangeRaw } from './testing/exchange.ts';
import { localise, startEdge } from './testing/start-edge.ts';
import { hasNginx, startNginx, type TestNginx } from './testing/start-nginx.ts';
import { startTestCdn, TEST_KID, type TestCdn } from './testing/start-test-cdn.ts';

const MB = 1024 * 1024;
// nginx counts whole seconds: a copy valid for 2 s may be used for 3.
const COPY_LIFE_MS = 3_100;
const HOST = 'files.example.com';
const edgeSecret = randomBytes(24).toString('base64url');

// On a developer's machine without nginx this is skipped; in CI it fails.
describe.skipIf(!hasNginx && process.env.CI === undefined)('the nginx edge in front of the cdn', () => {
  let cdn: TestCdn;
  let edge: TestNginx;
  let assetId: string;
  let lookups = 0;
  const bytes = randomBytes(3 * MB + 123);

  const ask = (url: string, options: { method?: string; headers?: Record<string, string> } = {}) =>
    exchange(url, { ...options, port: edge.port });

  beforeAll(async () => {
    cdn = await startTestCdn({
      origin: `http://${HOST}`,
      edgeSecret,
      lookup: async (id, variant) => {
        lookups++;
        return cdn.rows.get(`${id}/${variant}`) ?? null;
      },
    });
    assetId = await cdn.add({ bytes });
    edge = await startEdge({
      cdnPort: cdn.port,
      linkKeys: new Map([[TEST_KID, cdn.key]]),
      edgeSecret,
      changes: {
        // Makes the large download outlast its link, however much the sockets buffer.
        'send_timeout 60s;': 'send_timeout 60s; limit_rate_after 4m; limit_rate 8m;',
        'proxy_cache_valid 200 206 5m;': 'proxy_cache_valid 200 206 2s;',
      },
    });
  });
  afterAll(async () => {
    await edge.close();
    await cdn.close();
  });

  test('a valid link is served, and a second signature hits the cache', async () => {
    const first = await ask(cdn.link(assetId));
    expect(first.status).toBe(200);
    expect(first.headers['x-cache']).toBe('MISS');
    expect(first.body.equals(bytes)).toBe(true);
    const before = lookups;
    const second = await ask(cdn.link(assetId, { expiresInSeconds: 1800 }));
    expect(second.status).toBe(200);
    expect(second.headers['x-cache']).toBe('HIT');
    expect(second.body.equals(bytes)).toBe(true);
    expect(lookups).toBe(before);
  });

  test('the headers are those of the cdn, each once', async () => {
    const url = cdn.link(assetId, { expiresInSeconds: 1000 });
    const { headers } = await ask(url);
    const direct = await exchange(url, { port: cdn.port });
    const ours = { ...direct.headers };
    for (const name of ['date', 'connection', 'keep-alive', 'cache-control']) delete ours[name];
    expect(headers).toMatchObject(ours);
    expect(headers['cache-control']).toMatch(/^private, max-age=(?:1000|99\d)$/);
  });

  test('ranges come from the cache', async () => {
    const url = cdn.link(assetId);
    await ask(url);
    const ranges: Record<string, [number, number]> = {
      'bytes=0-99': [0, 100],
      'bytes=1048570-1048590': [1_048_570, 1_048_591],
      'bytes=-10': [bytes.length - 10, bytes.length],
      'bytes=3000000-': [3_000_000, bytes.length],
    };
    for (const [range, [start, end]] of Object.entries(ranges)) {
      const answer = await ask(cdn.link(assetId, { expiresInSeconds: 600 }), { headers: { Range: range } });
      expect(answer.status, range).toBe(206);
      expect(answer.headers['content-range']).toBe(`bytes ${start}-${end - 1}/${bytes.length}`);
      expect(answer.headers['x-cache']).toBe('HIT');
      expect(answer.body.equals(bytes.subarray(start, end))).toBe(true);
    }
    const beyond = await ask(url, { headers: { Range: `bytes=${bytes.length}-` } });
    expect(beyond.status).toBe(416);
    expect(beyond.headers['content-range']).toBe(`bytes */${bytes.length}`);
    const many = await ask(url, { headers: { Range: 'bytes=0-1,4-5' } });
    expect([many.status, many.body.length]).toEqual([200, bytes.length]);
  });

  test('HEAD and conditions', async () => {
    const url = cdn.link(assetId);
    const head = await ask(url, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(bytes.length));
    const same = await ask(url, { headers: { 'If-None-Match': head.headers.etag! } });
    expect([same.status, same.body.length]).toEqual([304, 0]);
    const other = await ask(url, { headers: { Range: 'bytes=0-9', 'If-Range': '"other"' } });
    expect(other.status).toBe(200);
  });

  test('an empty file and a short one', async () => {
    for (const content of [Buffer.alloc(0), Buffer.from('short')]) {
      const answer = await ask(cdn.link(await cdn.add({ bytes: content })));
      expect(answer.status).toBe(200);
      expect(answer.body.equals(content)).toBe(true);
    }
  });

  test('an attachment link does not use the cached inline copy', async () => {
    await ask(cdn.link(assetId));
    const answer = await ask(cdn.link(assetId, { disposition: 'attachment' }));
    expect(answer.headers['content-disposition']).toBe('attachment; filename="clip.mp4"');
    const inline = await ask(cdn.link(assetId));
    expect(inline.headers['content-disposition']).toBe('inline; filename="clip.mp4"');
  });

  test('a cached file needs a valid link: any altered byte is refused', async () => {
    const url = cdn.link(assetId, { disposition: 'attachment' });
    expect((await ask(url)).status).toBe(200);
    const line = Buffer.from(url.slice(`http://${HOST}`.length));
    const host = Buffer.from(HOST);
    const head = (target: Buffer, name: Buffer) =>
      Buffer.concat([
        Buffer.from('GET '),
        target,
        Buffer.from(' HTTP/1.1\r\nHost: '),
        name,
        Buffer.from('\r\nConnection: close\r\n\r\n'),
      ]);
    expect(await exchangeRaw({ port: edge.port, head: head(line, host) })).toBe(200);
    let refused = 0;
    for (const [part, build] of [
      [line, (altered: Buffer) => head(altered, host)],
      [host, (altered: Buffer) => head(line, altered)],
    ] as const) {
      for (let bit = 0; bit < part.length * 8; bit++) {
        const altered = Buffer.from(part);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        const status = await exchangeRaw({ port: edge.port, head: build(altered) });
        expect([403, 400], `bit ${bit} of ${part}`).toContain(status);
        if (status === 403) refused++;
      }
    }
    expect(refused).toBeGreaterThan(700);
  });

  test('403, 404 and 405 are problems, as at the cdn', async () => {
    const url = cdn.link(assetId);
    const cases = [
      [url.replace('/file?', '/poster?'), 'GET'],
      [cdn.link(assetId, { expiresInSeconds: -1 }), 'GET'],
      [cdn.link(randomUUID()), 'GET'],
      [url, 'POST'],
    ] as const;
    for (const [link, method] of cases) {
      const here = await ask(link, { method });
      const there = await exchange(link, { method, port: cdn.port });
      expect(here.status).toBe(there.status);
      expect(JSON.parse(here.body.toString())).toEqual(JSON.parse(there.body.toString()));
      for (const name of ['content-type', 'cache-control', 'allow', 'x-content-type-options']) {
        expect(here.headers[name], `${name} of ${here.status}`).toBe(there.headers[name]);
      }
    }
  });

  test('a deleted row invalidates the link when its copy is revalidated', async () => {
    const doomed = await cdn.add({ bytes: Buffer.from('soon gone') });
    expect((await ask(cdn.link(doomed))).status).toBe(200);
    await sleep(COPY_LIFE_MS);
    const again = await ask(cdn.link(doomed));
    expect([again.status, again.headers['x-cache']]).toEqual([200, 'REVALIDATED']);
    cdn.rows.delete(`${doomed}/file`);
    await sleep(COPY_LIFE_MS);
    expect((await ask(cdn.link(doomed))).status).toBe(404);
  });

  test('a download that started in time continues after the link has expired', async () => {
    const content = randomBytes(32 * MB);
    const url = cdn.link(await cdn.add({ bytes: content }), { expiresInSeconds: 2 });
    const before = lookups;
    const download = ask(url);
    await sleep(2_100);
    expect((await ask(url)).status).toBe(403);
    expect(lookups - before).toBeLessThan(32);
    const answer = await download;
    expect(lookups - before).toBe(32);
    expect(answer.body.equals(content)).toBe(true);
  });

  test('503 with Retry-After when the cdn is unavailable', async () => {
    const away = await startTestCdn({ origin: `http://${HOST}` });
    await away.close();
    const shipped = await readFile(`${edge.dir}/nginx.conf`, 'utf8');
    const lonely = await startNginx({
      config: ({ port, dir }) =>
        localise(shipped, {
          [edge.dir]: dir,
          [`listen 127.0.0.1:${edge.port};`]: `listen 127.0.0.1:${port};`,
          [`server 127.0.0.1:${cdn.port};`]: `server 127.0.0.1:${away.port};`,
        }),
      files: Object.fromEntries(
        await Promise.all(
          ['sign.js', 'link-keys.json', 'edge-secret.conf'].map(
            async (name) => [name, await readFile(`${edge.dir}/${name}`)] as const,
          ),
        ),
      ),
    });
    const answer = await exchange(cdn.link(assetId), { port: lonely.port });
    await lonely.close();
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(answer.body.toString()).code).toBe('unavailable');
  });
});
