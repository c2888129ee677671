import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, inject, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createDirectoryStore } from '../../../platform/object-store/directory-store.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { createS3Store } from '../../../platform/object-store/s3-store.ts';
import { claimBucket, openKeyPrefix } from './bucket-ownership.ts';
import { copyObjects } from './copy-objects.ts';

const { db } = await openTestDatabase();
const dir = await mkdtemp(join(tmpdir(), 'atelier-copy-'));
const bucket = createS3Store(inject('services').s3);
const folder = createDirectoryStore({ path: join(dir, 'files') });
const prefix = await openKeyPrefix({ db }, 'c1');
const put = (store: ObjectStore, key: string, text: string) =>
  store.putBytes({ key, bytes: Buffer.from(text), contentType: 'text/plain' });
const nameKey = (kind: 'a' | 'u') => `${prefix}${kind}/${randomUUID()}/${randomUUID()}/file`;

afterAll(async () => {
  await bucket.deleteMany((await bucket.list({ prefix, limit: 1_000 })).map(({ key }) => key));
  await bucket.close();
  await rm(dir, { recursive: true, force: true });
});

test('a copy has all files of the installation, and nothing else of the bucket', async () => {
  await claimBucket({ db, store: bucket }, 'Ada');
  const [asset, piece] = [nameKey('a'), nameKey('u')];
  await put(bucket, asset, 'an asset');
  await put(bucket, piece, 'a piece of an upload');
  const foreign = `cell-c1/${randomUUID().slice(0, 8)}/a/${randomUUID()}/${randomUUID()}/file`;
  await put(bucket, foreign, 'of another installation');

  expect(await copyObjects({ db, from: bucket, to: folder })).toEqual({ objects: 2, copied: 2, copiedBytes: 28 });
  expect((await folder.list({ prefix: '', limit: 10 })).map(({ key }) => key)).toEqual([asset, piece].sort());
  const copy = await folder.read({ key: asset });
  expect((await buffer(copy!.stream)).toString()).toBe('an asset');
  await bucket.deleteMany([foreign]);
});

test('a repeated copy copies only what is new, and repairs a file of another size', async () => {
  const fresh = nameKey('a');
  await put(bucket, fresh, 'new');
  expect(await copyObjects({ db, from: bucket, to: folder })).toEqual({ objects: 3, copied: 1, copiedBytes: 3 });
  await put(folder, fresh, 'cut off after a full disk');
  expect(await copyObjects({ db, from: bucket, to: folder })).toMatchObject({ copied: 1 });
  expect((await folder.head(fresh))?.bytes).toBe(3);
});

test('what the source has deleted stays in the copy', async () => {
  const deleted = nameKey('a');
  await put(bucket, deleted, 'gone');
  await copyObjects({ db, from: bucket, to: folder });
  await bucket.deleteMany([deleted]);
  await copyObjects({ db, from: bucket, to: folder });
  expect((await folder.head(deleted))?.bytes).toBe(4);
});
