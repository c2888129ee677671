import type { Db } from '../../../platform/db.ts';
import type { ObjectStore } from '../../../platform/object-store/object-store.ts';
import { findKnownOwners, type ObjectKind } from './retention.store.ts';

/** After the prefix, keys are `a/<account>/<asset>/<variant>` and `u/<account>/<resumable upload>/<piece>`. */
const OWNER_SEGMENT = 2;

export interface OrphanPage {
  readonly keys: readonly string[];
  /** The number of objects on the page. */
  readonly seen: number;
  /** Where the next page starts; null after the last. */
  readonly next: string | null;
}

/** The orphans on one page of the bucket: objects older than the given time without a row. */
export async function findOrphans(
  services: { db: Db; store: Pick<ObjectStore, 'list'> },
  page: { prefix: string; kind: ObjectKind; startAfter: string | null; limit: number; olderThan: Date },
): Promise<OrphanPage> {
  const listed = await services.store.list({
    prefix: `${page.prefix}${page.kind}`,
    limit: page.limit,
    ...(page.startAfter === null ? {} : { startAfter: page.startAfter }),
  });
  const old = listed.filter((object) => object.lastModified < page.olderThan).map((object) => object.key);
  const ownerOf = (key: string) => key.slice(page.prefix.length).split('/')[OWNER_SEGMENT] ?? '';
  const known = await findKnownOwners(services.db, { kind: page.kind, ids: [...new Set(old.map(ownerOf))] });
  return {
    seen: listed.length,
    keys: old.filter((key) => !known.has(ownerOf(key))),
    next: listed.length < page.limit ? null : (listed.at(-1)?.key ?? null),
  };
}
