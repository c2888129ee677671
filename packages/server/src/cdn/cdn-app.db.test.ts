import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ObjectStore } from '../platform/object-store/object-store.ts';
import { createS3Store } from '../platform/object-store/s3-store.ts';
import { exchange } from './testing/exchange.ts';
import { startTestCdn, type TestCdn } from './testing/start-test-cdn.ts';

const MB = 1024 * 1024;

describe('files by signed link from a bucket', () => {
  const { s3 } = inject('services');
  const bytes = randomBytes(20 * MB);
  const key = `test-${randomUUID()}/file`;
  const assetId = randomUUID();
  let store: ObjectStore;
  let cdn: TestCdn;

  beforeAll(async () => {
    // Two connections: a leaked stream shows at the third request.
    store = createS3Store({ ...s3, maxConnections: 2 });
    await store.putBytes({ key, bytes, contentType: 'video/mp4' });
    cdn = await startTestCdn({ store });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    cdn.rows.set(`${assetId}/file`, { key, bytes: bytes.length, sha256, mimeType: 'video/mp4', filename: 'a.mp4' });
  });
  afterAll(async () => {
    await store.deleteMany([key]);
    await store.close();
    await cdn.close();
  });

  test('serves the whole file, ranges, 304 and 416', async () => {
    const url = cdn.link(assetId);
    const whole = await exchange(url);
    expect([whole.status, whole.body.equals(bytes)]).toEqual([200, true]);
    const part = await exchange(url, { headers: { Range: 'bytes=1000000-2000000' } });
    expect(part.status).toBe(206);
    expect(part.body.equals(bytes.subarray(1_000_000, 2_000_001))).toBe(true);
    const { etag, 'last-modified': date } = (await exchange(url, { method: 'HEAD' })).headers;
    expect((await exchange(url, { headers: { 'If-None-Match': etag! } })).status).toBe(304);
    expect((await exchange(url, { headers: { 'If-Modified-Since': date! } })).status).toBe(304);
    expect((await exchange(url, { headers: { Range: 'bytes=0-1', 'If-Range': date! } })).status).toBe(206);
    expect((await exchange(url, { headers: { Range: `bytes=${20 * MB}-` } })).status).toBe(416);
  });

  test('clients that disconnect release their connections to the bucket', async () => {
    const { pathname, search, host } = new URL(cdn.link(assetId));
    for (let n = 0; n < 10; n++) {
      const socket = connect(cdn.port, '127.0.0.1');
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.resetAndDestroy();
    }
    expect((await exchange(cdn.link(assetId))).body.length).toBe(bytes.length);
    expect(cdn.logged).toEqual([]);
  });
});
