import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Asset } from '@atelier/contract';
import { exchange } from '@atelier/server/cdn/testing/exchange.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { signLink } from '@atelier/server/platform/signed-link.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let account: TestAccount;
let asset: Asset;
let stored: Buffer;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({
    services: inject('services'),
    workers: 0,
    cdns: 1,
    env: { LINK_MODE: 'redirect', LOG_LEVEL: 'debug' },
  });
  account = await makeAccount(stack);
  const path = await makeFile(folder.dir, 'wav');
  const { status, body } = await sendUpload(stack.api().url, { key: account.key, path });
  expect(status).toBe(201);
  asset = body;
  stored = await readFile(path);
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

/** A link as the API signs it, with another lifetime. */
function linkFor(expiresInSeconds: number): string {
  const keys = createKeyRing([Buffer.from(stack.env.MASTER_KEY as string, 'base64')]);
  return signLink({
    key: keys.key('link') as Buffer,
    kid: keys.kid,
    origin: stack.env.CDN_URL as string,
    assetId: asset.id,
    variant: 'file',
    disposition: 'attachment',
    expiresAtSeconds: Math.floor(Date.now() / 1000) + expiresInSeconds,
  });
}

test('clients that follow redirects get the file, its variants and ranges from the bucket', async () => {
  const whole = await fetch(asset.url);
  expect([whole.status, whole.redirected]).toEqual([200, true]);
  expect(new URL(whole.url).origin).toBe(inject('services').s3.endpoint);
  expect(whole.headers.get('content-type')).toBe('audio/wav');
  expect(whole.headers.get('content-disposition')).toBe(`inline; filename="${asset.id}.wav"`);
  const bytes = Buffer.from(await whole.arrayBuffer());
  // The metadata was stripped, so the file is not the uploaded one; its samples are.
  expect(bytes.subarray(-10_000).equals(stored.subarray(-10_000))).toBe(true);

  const part = await fetch(asset.url, { headers: { Range: 'bytes=100-199' } });
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe(`bytes 100-199/${bytes.length}`);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);

  const head = await fetch(asset.url, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);

  const thumbnail = await fetch(asset.thumbnailUrl as string);
  expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp']);
  await thumbnail.arrayBuffer();

  const attached = await fetch(linkFor(60));
  expect(attached.headers.get('content-disposition')).toBe(`attachment; filename="${asset.id}.wav"`);
  const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  expect(digest(Buffer.from(await attached.arrayBuffer()))).toBe(digest(bytes));
});

test('the redirect holds no secret, and nothing of it is logged', async () => {
  const { status, headers } = await exchange(asset.url);
  expect(status).toBe(302);
  const { s3 } = inject('services');
  const logs = stack.members.flatMap(({ logs }) => logs).join('');
  for (const secret of [s3.secretKey, stack.env.MASTER_KEY as string, new URL(asset.url).searchParams.get('s')!]) {
    expect(headers.location).not.toContain(secret);
    expect(logs).not.toContain(secret);
  }
  expect(logs).not.toContain('X-Amz-Signature');
});

test('expired and altered links are refused before any redirect', async () => {
  const refused = [
    [linkFor(-1), 403, 'link_expired'],
    [asset.url.replace('/file?', '/poster?'), 403, 'link_invalid'],
  ] as const;
  for (const [url, status, code] of refused) {
    const answer = await exchange(url);
    expect([answer.status, answer.headers.location]).toEqual([status, undefined]);
    expect(JSON.parse(answer.body.toString()).code).toBe(code);
  }
});

test('the URL of the bucket expires with its link', async () => {
  const { headers } = await exchange(linkFor(3));
  const location = headers.location as string;
  expect(Number(new URL(location).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(3);
  expect((await exchange(location)).status).toBe(200);
  await expect.poll(async () => (await exchange(location)).status, { timeout: 10_000, interval: 500 }).toBe(403);
});

test('a deleted asset gets no further redirect', async () => {
  const { status } = await exchange(asset.url);
  expect(status).toBe(302);
  await stack.expire([asset.id]);
  const answer = await exchange(asset.url);
  expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([404, 'not_found']);
});
