import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ObjectStore, PresignOptions } from '../platform/object-store/object-store.ts';
import { createS3Store } from '../platform/object-store/s3-store.ts';
import { exchange } from './testing/exchange.ts';
import { startTestCdn, type TestCdn } from './testing/start-test-cdn.ts';

const edgeSecret = 'an-edge-secret-of-at-least-32-characters';

describe('signed links that redirect to the bucket', () => {
  const { s3 } = inject('services');
  const bytes = randomBytes(300_000);
  const key = `test-${randomUUID()}/file`;
  const assetId = randomUUID();
  const asked: PresignOptions[] = [];
  let nowMs = Date.now();
  let store: ObjectStore;
  let cdn: TestCdn;

  beforeAll(async () => {
    store = createS3Store(s3);
    await store.putBytes({ key, bytes, contentType: 'application/octet-stream' });
    cdn = await startTestCdn({
      store,
      edgeSecret,
      clock: { now: () => new Date(nowMs) },
      presign: (options) => {
        asked.push(options);
        return store.presign!(options);
      },
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    cdn.rows.set(`${assetId}/file`, { key, bytes: bytes.length, sha256, mimeType: 'video/mp4', filename: 'ä.mp4' });
  });
  afterAll(async () => {
    await store.deleteMany([key]);
    await store.close();
    await cdn.close();
  });

  async function follow(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
    const { status, headers } = await exchange(url, options);
    expect(status).toBe(302);
    return exchange(headers.location!, options);
  }

  test('302 without a secret, and the bucket sends the file with our headers', async () => {
    const url = cdn.link(assetId);
    const { status, headers, body } = await exchange(url);
    expect([status, body.length]).toEqual([302, 0]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'access-control-allow-origin': '*',
    });
    const location = headers.location as string;
    expect(location.startsWith(`${s3.endpoint}/${s3.bucket}/${key}?`)).toBe(true);
    for (const secret of [s3.secretKey, encodeURIComponent(s3.secretKey), new URL(url).searchParams.get('s')!]) {
      expect(location).not.toContain(secret);
    }
    const file = await exchange(location);
    expect([file.status, file.body.equals(bytes)]).toEqual([200, true]);
    expect(file.headers['content-type']).toBe('video/mp4');
    expect(file.headers['content-disposition']).toBe(`inline; filename="_.mp4"; filename*=UTF-8''%C3%A4.mp4`);
    expect(file.headers['cache-control']).toMatch(/^private, max-age=3(?:600|59\d)$/);
  });

  test('ranges, HEAD and conditions are answered by the bucket', async () => {
    const url = cdn.link(assetId, { disposition: 'attachment' });
    const part = await follow(url, { headers: { Range: 'bytes=1000-1999' } });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 1000-1999/${bytes.length}`);
    expect(part.body.equals(bytes.subarray(1000, 2000))).toBe(true);
    expect((await follow(url, { headers: { Range: `bytes=${bytes.length}-` } })).status).toBe(416);
    const head = await follow(url, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(bytes.length));
    expect(head.headers['content-disposition']).toMatch(/^attachment; /);
    expect((await follow(url, { headers: { 'If-None-Match': head.headers.etag! } })).status).toBe(304);
    const resumed = { Range: 'bytes=299000-', 'If-Range': head.headers.etag! };
    expect((await follow(url, { headers: resumed })).status).toBe(206);
  });

  test('the URL lives five minutes, and not longer than its link', async () => {
    const lifeOf = async (expiresInSeconds: number) => {
      await exchange(cdn.link(assetId, { expiresInSeconds }));
      return asked.at(-1)!.expiresInSeconds;
    };
    nowMs = Math.ceil(nowMs / 1000) * 1000;
    expect(await lifeOf(3600)).toBe(300);
    expect(await lifeOf(301)).toBe(300);
    expect(await lifeOf(90)).toBe(90);
    expect(await lifeOf(1)).toBe(1);
    const { headers } = await exchange(cdn.link(assetId, { expiresInSeconds: 1 }));
    await sleep(2_100);
    expect((await exchange(headers.location!)).status).toBe(403);
  });

  test('refused links are problems of the cdn, and get no URL', async () => {
    const before = asked.length;
    const url = cdn.link(assetId);
    const expired = cdn.link(assetId, { expiresInSeconds: 0 });
    const cases = [
      [await exchange(url.replace('/file?', '/poster?')), 403, 'link_invalid'],
      [await exchange(expired), 403, 'link_expired'],
      [await exchange(cdn.link(randomUUID())), 404, 'not_found'],
      [await exchange(url, { method: 'POST' }), 405, 'invalid_params'],
    ] as const;
    for (const [answer, status, code] of cases) {
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.body.toString()).code).toBe(code);
      expect(answer.headers.location).toBeUndefined();
    }
    expect(asked).toHaveLength(before);
  });

  test('an edge gets the file itself', async () => {
    const answer = await exchange(cdn.link(assetId), { headers: { 'Edge-Secret': edgeSecret } });
    expect([answer.status, answer.body.equals(bytes)]).toEqual([200, true]);
  });

  test('500 internal when the URL cannot be signed', async () => {
    const broken = await startTestCdn({
      presign: async () => {
        throw new Error('no credentials');
      },
    });
    const answer = await exchange(broken.link(await broken.add({ bytes: Buffer.from('x') })));
    expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([500, 'internal']);
    await broken.close();
  });
});
