import type { Db } from '../../../platform/db.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { findPrefixes } from './bucket.store.ts';
import { OBJECT_KINDS } from './retention.store.ts';

const PAGE = 1_000;
const COPIES_AT_ONCE = 8;
/** Whoever serves a file takes its type from the row. */
const CONTENT_TYPE = 'application/octet-stream';

export interface CopyReport {
  /** Objects at the source. */
  readonly objects: number;
  /** Those that the target did not have yet. */
  readonly copied: number;
  readonly copiedBytes: number;
}

interface Stores {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
}

/**
 * Copies every object of this installation from one store to another. Objects never change, so one that the target has with
 * the same size is skipped: a repeated or interrupted copy continues. The owner markers are left out; a copy has no owner
 * until the operator claims it. Deletes nothing at the target.
 */
export async function copyObjects({ db, ...stores }: Stores & { readonly db: Db }): Promise<CopyReport> {
  const total = { objects: 0, copied: 0, copiedBytes: 0 };
  const prefixes = (await findPrefixes(db)).flatMap((row) => OBJECT_KINDS.map((kind) => `${row.prefix}${kind}`));
  for (const prefix of prefixes) {
    let startAfter = '';
    for (;;) {
      const page = await stores.from.list({ prefix, limit: PAGE, ...(startAfter === '' ? {} : { startAfter }) });
      for (let first = 0; first < page.length; first += COPIES_AT_ONCE) {
        const sizes = await Promise.all(
          page.slice(first, first + COPIES_AT_ONCE).map((object) => copyObject(stores, object)),
        );
        for (const bytes of sizes) {
          total.objects += 1;
          if (bytes === null) continue;
          total.copied += 1;
          total.copiedBytes += bytes;
        }
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      startAfter = last.key;
    }
  }
  return total;
}

/** Returns the size of the copy, or null if nothing had to be copied. */
async function copyObject({ from, to }: Stores, object: { key: string; bytes: number }): Promise<number | null> {
  const { key } = object;
  if ((await to.head(key))?.bytes === object.bytes) return null;
  const found = await from.read({ key });
  // Deleted since it was listed.
  if (found === null) return null;
  const { bytes } = await to.putStream({ key, stream: found.stream, contentType: CONTENT_TYPE });
  return bytes;
}
