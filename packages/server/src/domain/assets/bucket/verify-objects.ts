import type { Db } from '../../../platform/db.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { findPrefixes } from './bucket.store.ts';
import { inspectOwnership } from './bucket-ownership.ts';
import { findOrphans } from './find-orphans.ts';
import { findAssetPage, OBJECT_KINDS } from './retention.store.ts';

const PAGE = 1_000;
const HEADS_AT_ONCE = 16;
/** The sweep deletes an orphan after an hour and needs several passes for a large bucket. */
const ORPHAN_AGE_MS = 24 * 60 * 60 * 1000;
const MAX_SHOWN = 20;

interface ObjectCheck {
  readonly id: string;
  readonly claim: string;
  readonly violations: number;
  readonly first: readonly object[];
  readonly durationMs: number;
}

/**
 * Compares rows and objects in both directions: every row has its files with the recorded size, and every old object under
 * a prefix of this installation has a row. Also checks whether this installation may delete there.
 */
export async function verifyObjects(
  services: { db: Db; store: ObjectStore },
  options: { orphanAgeMs?: number } = {},
): Promise<ObjectCheck[]> {
  const olderThan = new Date(Date.now() - (options.orphanAgeMs ?? ORPHAN_AGE_MS));
  return [
    await check('O1', 'every asset has its objects with the recorded size', (found) => compareRows(services, found)),
    await check('O2', 'no object older than a day is without a row', (found) =>
      compareObjects({ ...services, olderThan }, found),
    ),
    await check('O3', 'this installation owns its part of the bucket', async (found) => {
      for (const state of await inspectOwnership(services)) if (state.refusal !== null) found(state);
    }),
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
    const files = rows.flatMap((row) => [
      { id: row.id, key: row.objectKey, bytes: row.bytes },
      ...Object.values(row.variants).map(({ key, bytes }) => ({ id: row.id, key, bytes })),
    ]);
    for (let from = 0; from < files.length; from += HEADS_AT_ONCE) {
      await Promise.all(
        files.slice(from, from + HEADS_AT_ONCE).map(async ({ id, key, bytes }) => {
          const stored = await store.head(key);
          if (stored?.bytes !== bytes) found({ id, key, stored: stored?.bytes ?? null, recorded: bytes });
        }),
      );
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

async function compareObjects(
  services: { db: Db; store: ObjectStore; olderThan: Date },
  found: (row: object) => void,
): Promise<void> {
  const { olderThan } = services;
  const own = (await findPrefixes(services.db)).filter((row) => row.claimed && row.prefix !== '');
  for (const { prefix, kind } of own.flatMap(({ prefix }) => OBJECT_KINDS.map((kind) => ({ prefix, kind })))) {
    let startAfter: string | null = null;
    do {
      const { keys, next } = await findOrphans(services, { prefix, kind, startAfter, limit: PAGE, olderThan });
      for (const key of keys) found({ key });
      startAfter = next;
    } while (startAfter !== null);
  }
}
