import type { Db } from '../../platform/db.ts';
import type { ObjectStore } from '../../platform/object-store/object-store.ts';
import { findAssetPage, findKnownKeys } from './retention.store.ts';

const PAGE = 1_000;
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;
const MAX_SHOWN = 20;

interface ObjectCheck {
  readonly id: string;
  readonly claim: string;
  readonly violations: number;
  readonly first: readonly object[];
  readonly durationMs: number;
}

/** Rows against objects, both ways: every row has its files with the recorded size, no old object is without a row. */
export async function verifyObjects(services: { db: Db; store: ObjectStore }): Promise<ObjectCheck[]> {
  return [
    await check('O1', 'every asset has its objects with the recorded size', (found) => compareRows(services, found)),
    await check('O2', 'no object older than a day is without a row', (found) => compareObjects(services, found)),
  ];
}

async function check(
  id: string,
  claim: string,
  run: (found: (row: object) => void) => Promise<void>,
): Promise<ObjectCheck> {
  const startedMs = performance.now();
  const first: object[] = [];
  let violations = 0;
  await run((row) => {
    violations += 1;
    if (first.length < MAX_SHOWN) first.push(row);
  });
  return { id, claim, violations, first, durationMs: Math.round(performance.now() - startedMs) };
}

async function compareRows({ db, store }: { db: Db; store: ObjectStore }, found: (row: object) => void): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await findAssetPage(db, { after, limit: PAGE });
    for (const row of rows) {
      for (const file of [{ key: row.objectKey, bytes: row.bytes }, ...Object.values(row.variants)]) {
        const stored = await store.head(file.key);
        if (stored === null || stored.bytes !== file.bytes)
          found({ id: row.id, key: file.key, stored: stored?.bytes ?? null, recorded: file.bytes });
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

async function compareObjects(
  { db, store }: { db: Db; store: ObjectStore },
  found: (row: object) => void,
): Promise<void> {
  const oldest = Date.now() - ORPHAN_AGE_MS;
  let startAfter: string | undefined;
  for (;;) {
    const objects = await store.list({
      prefix: 'a/',
      limit: PAGE,
      ...(startAfter === undefined ? {} : { startAfter }),
    });
    const old = objects.filter((object) => object.lastModified.getTime() < oldest);
    const known = await findKnownKeys(db, [...new Set(old.map((object) => object.key.split('/')[2] ?? ''))]);
    for (const object of old) if (!known.has(object.key.split('/')[2] ?? '')) found({ key: object.key });
    const last = objects.at(-1);
    if (last === undefined || objects.length < PAGE) return;
    startAfter = last.key;
  }
}
