import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { systemClock } from '../../../platform/clock.ts';
import { withTx } from '../../../platform/db.ts';
import { createLog } from '../../../platform/log.ts';
import { createDirectoryStore } from '../../../platform/object-store/directory-store.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { createS3Store } from '../../../platform/object-store/s3-store.ts';
import { createAccount } from '../../accounts/create-account.ts';
import { eraseAccountFiles } from '../erase-account-files.ts';
import { claimBucket, deleteOwned, describeBucket, openKeyPrefix } from './bucket-ownership.ts';
import { judgeOrphans, MAX_ORPHANS, MIN_ORPHANS_JUDGED, sweepFiles } from './sweep-files.ts';
import { verifyObjects } from './verify-objects.ts';

/** So far in the future that every object is old enough. */
const ANY_AGE_MS = -60_000;
const signal = new AbortController().signal;
const log = createLog({ level: 'silent' });
const dir = await mkdtemp(join(tmpdir(), 'atelier-sweep-'));
afterAll(() => rm(dir, { recursive: true, force: true }));

const stores: Readonly<Record<string, ObjectStore>> = {
  directory: createDirectoryStore({ path: join(dir, 'bucket') }),
  S3: createS3Store(inject('services').s3),
};
const [mine, theirs] = [await openTestDatabase(), await openTestDatabase()];

/** An installation: a database with its prefix, on a store that may be shared. */
async function install(database: typeof mine, store: ObjectStore, cell = 'c1') {
  const { db } = database;
  const prefix = await openKeyPrefix({ db }, cell);
  const accountId = await withTx(db, (tx) => createAccount(tx, { ownerId: randomUUID(), mode: 'live', name: 'a' }));
  const services = { db, store, clock: systemClock, log };
  return {
    services,
    prefix,
    accountId,
    sweep: (options: { maxPages?: number; anyShare?: boolean; orphanAgeMs?: number } = {}) =>
      sweepFiles(services, { signal, orphanAgeMs: ANY_AGE_MS, ...options }),
    async putOrphan() {
      const key = `${prefix}a/${accountId}/${randomUUID()}/file`;
      await store.putBytes({ key, bytes: Buffer.from('x'), contentType: 'image/png' });
      return key;
    },
    /** Written directly to the folder, because the store would sync each object. */
    async putOrphansInFolder(count: number) {
      for (let n = 0; n < count; n += 1) {
        const folder = join(dir, 'bucket', `${prefix}a`, accountId, randomUUID());
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'file'), 'x');
      }
    },
    /** Creates a row with its object. */
    async putAsset({ expired = false, under = prefix } = {}) {
      const id = randomUUID();
      const key = `${under}a/${accountId}/${id}/file`;
      await store.putBytes({ key, bytes: Buffer.from('x'), contentType: 'image/png' });
      await database.owner.pool.query(
        `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants, expires_at)
         VALUES ($1, $2, 'upload', 'image', 'image/png', 1, decode(repeat('00', 32), 'hex'), $3, '{}', now() + $4 * interval '1 hour')`,
        [id, accountId, key, expired ? -1 : 1],
      );
      return key;
    },
    /** The claims after a restore: they name another database. */
    restore: () =>
      database.owner.pool.query(
        `UPDATE bucket_prefix SET claimed_by = 'another/1/1', made_for = CASE WHEN cell IS NOT NULL THEN 'another/1/1' END`,
      ),
  };
}

async function reset(): Promise<void> {
  for (const { owner } of [mine, theirs]) {
    await owner.pool.query('DELETE FROM sweep_refusal; DELETE FROM bucket_prefix; DELETE FROM asset');
  }
}

describe.each(Object.entries(stores))('bucket ownership on %s', (_name, store) => {
  test('with two installations on one bucket and cell, neither sweep deletes files of the other', async () => {
    await reset();
    const [a, b] = [await install(mine, store), await install(theirs, store)];
    const kept = [await a.putAsset(), await b.putAsset()];
    const orphans = [await a.putOrphan(), await b.putOrphan()];
    expect(await a.sweep()).toEqual({ expired: 0, orphans: 1, refused: [] });
    expect(await Promise.all([...kept, ...orphans].map(async (key) => (await store.head(key)) !== null))).toEqual([
      ...[true, true],
      ...[false, true],
    ]);
    expect(await b.sweep()).toEqual({ expired: 0, orphans: 1, refused: [] });
    for (const key of kept) expect(await store.head(key)).not.toBeNull();
  });

  test('a restored copy deletes nothing until it claims the bucket; then the original is refused', async () => {
    await reset();
    const original = await install(mine, store);
    const kept = await original.putAsset({ expired: true });
    const orphan = await original.putOrphan();
    // The first sweep writes the marker.
    await original.sweep({ orphanAgeMs: 60_000 });
    const expired = await original.putAsset({ expired: true });
    expect(await store.head(kept)).toBeNull();

    await original.restore();
    const refused = await original.sweep();
    expect(refused).toMatchObject({ expired: 0, orphans: 0 });
    expect(refused.refused.join()).toContain('restored copy');
    await deleteOwned(original.services, [expired, orphan]);
    await expect(eraseAccountFiles(original.services, original.accountId)).rejects.toThrow('restored copy');
    for (const key of [expired, orphan]) expect(await store.head(key)).not.toBeNull();
    // The copy writes under a separate prefix, which the sweep of the original does not read.
    const own = await openKeyPrefix(original.services, 'c1');
    expect(own).not.toBe(original.prefix);

    await claimBucket(original.services, 'operator test');
    expect(await original.sweep()).toEqual({ expired: 1, orphans: 1, refused: [] });

    // The claim from the side of the original: the marker no longer matches.
    await mine.owner.pool.query('UPDATE bucket_prefix SET owner = gen_random_uuid()');
    const overtaken = await original.sweep();
    expect(overtaken.refused.join()).toContain('claimed by another installation');
    expect(await describeBucket(original.services)).toContainEqual({
      prefix: original.prefix,
      refusal: 'the bucket was claimed by another installation',
    });
  });

  test('of two indistinguishable copies, such as a disk snapshot and its original, only one continues to delete', async () => {
    await reset();
    const original = await install(mine, store);
    await original.sweep();
    const { rows } = await mine.owner.pool.query('SELECT prefix, owner FROM bucket_prefix');
    const expired = await original.putAsset({ expired: true });
    expect(await original.sweep()).toEqual({ expired: 1, orphans: 0, refused: [] });
    expect(await store.head(expired)).toBeNull();
    // The copy, in its state at the time of the snapshot.
    for (const { prefix, owner } of rows) {
      await mine.owner.pool.query('UPDATE bucket_prefix SET owner = $2, next_owner = NULL WHERE prefix = $1', [
        prefix,
        owner,
      ]);
    }
    const kept = await original.putAsset({ expired: true });
    expect((await original.sweep()).refused.join()).toContain('claimed by another installation');
    expect(await store.head(kept)).not.toBeNull();
  });

  test('concurrent sweeps and an interrupted renewal of the marker cause no refusal', async () => {
    await reset();
    const a = await install(mine, store);
    await a.sweep();
    for (let round = 0; round < 5; round += 1) {
      for (const swept of await Promise.all([a.sweep(), a.sweep(), a.sweep()])) expect(swept.refused).toEqual([]);
    }
    await mine.owner.pool.query('UPDATE bucket_prefix SET next_owner = gen_random_uuid()');
    expect(await a.sweep()).toEqual({ expired: 0, orphans: 0, refused: [] });
    const { rows } = await mine.owner.pool.query('SELECT 1 FROM bucket_prefix WHERE next_owner IS NOT NULL');
    expect(rows).toEqual([]);
  });

  test('a bucket without the marker is not swept', async () => {
    await reset();
    const a = await install(mine, store);
    await a.sweep();
    await store.deleteMany([`${a.prefix}atelier-owner`]);
    const orphan = await a.putOrphan();
    expect((await a.sweep()).refused.join()).toContain('the marker of the owner is not in the bucket');
    expect(await store.head(orphan)).not.toBeNull();
    const checks = await verifyObjects(a.services, { orphanAgeMs: ANY_AGE_MS });
    expect(checks.map(({ id, violations }) => ({ id, violations }))).toEqual([
      { id: 'O1', violations: 0 },
      { id: 'O2', violations: 1 },
      { id: 'O3', violations: 1 },
    ]);
    await claimBucket(a.services, 'operator test');
    expect(await a.sweep()).toEqual({ expired: 0, orphans: 1, refused: [] });
  });
});

describe('an implausible share of orphans', () => {
  const store = stores.directory as ObjectStore;

  test('is kept, reported, and deleted only with the consent of the operator', async () => {
    await reset();
    const a = await install(mine, store);
    const count = MIN_ORPHANS_JUDGED + 1;
    await a.putOrphansInFolder(count);
    const swept = await a.sweep();
    expect(swept).toMatchObject({ expired: 0, orphans: 0 });
    expect(swept.refused.join()).toContain(`${count} of ${count} objects have no row`);
    expect((await describeBucket(a.services)).map((state) => state.refusal).join()).toContain('have no row');
    expect(await a.sweep({ anyShare: true })).toEqual({ expired: 0, orphans: count, refused: [] });
    expect((await describeBucket(a.services)).map((state) => state.refusal)).toEqual([null]);
  });

  test('is detected by count and share', () => {
    expect(judgeOrphans({ orphans: MIN_ORPHANS_JUDGED, seen: MIN_ORPHANS_JUDGED })).toBeNull();
    expect(judgeOrphans({ orphans: 1_000, seen: 5_000 })).toBeNull();
    expect(judgeOrphans({ orphans: 1_000, seen: 4_999 })).toContain('20 %');
    expect(judgeOrphans({ orphans: MAX_ORPHANS, seen: 1_000_000 })).toBeNull();
    expect(judgeOrphans({ orphans: MAX_ORPHANS + 1, seen: 1_000_000 })).toContain('10000');
  });
});

test('a sweep deletes in bounded batches and continues where the last one stopped', async () => {
  await reset();
  const store = stores.directory as ObjectStore;
  const a = await install(mine, store);
  await mine.owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants, expires_at)
     SELECT gen_random_uuid(), $1, 'upload', 'image', 'image/png', 1, decode(repeat('00', 32), 'hex'), $2 || 'a/x/' || n || '/file', '{}', now()
     FROM generate_series(1, 450) n`,
    [a.accountId, a.prefix],
  );
  await a.putOrphansInFolder(2_300);
  const sweep = () => a.sweep({ maxPages: 1, anyShare: true });
  expect(await sweep()).toMatchObject({ expired: 450, orphans: 1_000 });
  expect(await sweep()).toMatchObject({ expired: 0, orphans: 1_000 });
  expect(await sweep()).toMatchObject({ expired: 0, orphans: 300 });
  expect(await sweep()).toMatchObject({ expired: 0, orphans: 0 });
  // New objects stay: their row may not be written yet.
  const young = await a.putOrphan();
  expect(await sweepFiles(a.services, { signal })).toMatchObject({ expired: 0, orphans: 0 });
  expect(await store.head(young)).not.toBeNull();
});

test('files of the layout without a prefix are deleted with their rows; orphans there stay', async () => {
  await reset();
  const path = join(dir, 'old-layout');
  const store = createDirectoryStore({ path });
  const before = await install(mine, store);
  // The state of the first version: rows, but no prefixes.
  await mine.owner.pool.query('DELETE FROM bucket_prefix');
  const [kept, expired] = [await before.putAsset({ under: '' }), await before.putAsset({ under: '', expired: true })];
  const stray = `a/${before.accountId}/${randomUUID()}/file`;
  await store.putBytes({ key: stray, bytes: Buffer.from('x'), contentType: 'image/png' });
  const a = await install(mine, store);
  expect(a.prefix).toMatch(/^cell-c1\/[0-9a-f]{12}\/$/);
  expect(await a.sweep()).toEqual({ expired: 1, orphans: 0, refused: [] });
  expect(await store.head(expired)).toBeNull();
  for (const key of [kept, stray]) expect(await store.head(key)).not.toBeNull();
  expect((await verifyObjects(a.services, { orphanAgeMs: ANY_AGE_MS })).every((check) => check.violations === 0)).toBe(
    true,
  );
  await a.restore();
  await mine.owner.pool.query(`UPDATE asset SET expires_at = now() - interval '1 hour'`);
  expect(await a.sweep()).toMatchObject({ expired: 0, orphans: 0 });
  expect(await store.head(kept)).not.toBeNull();
});
