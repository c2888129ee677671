import { type Db, statement, type Tx } from '../../platform/db.ts';
import type { StoredVariants } from './assets.store.ts';

export interface ExpiredRow {
  readonly id: string;
  readonly objectKey: string;
  readonly variants: StoredVariants;
}

const DELETE_EXPIRED = statement(
  'delete_expired_assets',
  `DELETE FROM asset WHERE id IN (
     SELECT id FROM asset WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING id, object_key AS "objectKey", variants`,
);

export function deleteExpired(tx: Tx, limit: number): Promise<ExpiredRow[]> {
  return tx.query<ExpiredRow>(DELETE_EXPIRED, [limit]);
}

const KNOWN_ASSETS = statement('known_assets', 'SELECT id FROM asset WHERE id = ANY ($1::uuid[])');

export async function findKnownKeys(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const uuids = ids.filter((id) => /^[0-9a-f-]{36}$/.test(id));
  const rows = await db.query<{ id: string }>(KNOWN_ASSETS, [uuids]);
  return new Set(rows.map((row) => row.id));
}

const ASSET_PAGE = statement(
  'asset_page',
  'SELECT id, object_key AS "objectKey", bytes, variants FROM asset WHERE id > $1 ORDER BY id LIMIT $2',
);

export function findAssetPage(
  db: Db,
  page: { after: string; limit: number },
): Promise<Array<ExpiredRow & { readonly bytes: number }>> {
  return db.query(ASSET_PAGE, [page.after, page.limit]);
}
