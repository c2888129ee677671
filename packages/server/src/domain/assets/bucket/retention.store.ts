import { type Db, statement, type Tx } from '../../../platform/db.ts';
import type { StoredVariants } from '../assets.store.ts';

export interface DeletedRow {
  readonly objectKey: string;
  readonly variants: StoredVariants;
}

/** Only rows whose objects may be deleted: each key starts with one of `deletable`. */
export interface ExpiredBatch {
  readonly limit: number;
  readonly deletable: readonly string[];
}

const DELETE_EXPIRED = statement(
  'delete_expired_assets',
  `DELETE FROM asset WHERE id = ANY (ARRAY(
     SELECT id FROM asset WHERE expires_at <= now()
       AND EXISTS (SELECT 1 FROM unnest($2::text[]) AS own (start) WHERE starts_with(object_key, own.start))
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )) RETURNING object_key AS "objectKey", variants`,
);

export function deleteExpired(tx: Tx, batch: ExpiredBatch): Promise<DeletedRow[]> {
  return tx.query<DeletedRow>(DELETE_EXPIRED, [batch.limit, batch.deletable]);
}

/** Outputs of a generation that is not erased stay: it was charged for them, and the next round of the erasure finds both. */
const DELETE_OF_ACCOUNT = statement(
  'delete_assets_of_account',
  `DELETE FROM asset WHERE account_id = $1 AND id = ANY (ARRAY(
     SELECT a.id FROM asset a LEFT JOIN generation g ON g.id = a.generation_id
     WHERE a.account_id = $1 AND (a.generation_id IS NULL OR g.erased_at IS NOT NULL) ORDER BY a.id LIMIT $2))
   RETURNING object_key AS "objectKey", variants`,
);

export function deleteOfAccount(tx: Tx, options: { accountId: string; limit: number }): Promise<DeletedRow[]> {
  return tx.query<DeletedRow>(DELETE_OF_ACCOUNT, [options.accountId, options.limit]);
}

const DELETE_EXPIRED_PIECES = statement(
  'delete_expired_pieces',
  `DELETE FROM resumable_upload WHERE id = ANY (ARRAY(
     SELECT id FROM resumable_upload WHERE expires_at <= now()
       AND NOT EXISTS (SELECT 1 FROM unnest(parts) AS part (key)
         WHERE NOT EXISTS (SELECT 1 FROM unnest($2::text[]) AS own (start) WHERE starts_with(part.key, own.start)))
     ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )) RETURNING parts`,
);

export function deleteExpiredPieces(tx: Tx, batch: ExpiredBatch): Promise<Array<{ parts: string[] }>> {
  return tx.query(DELETE_EXPIRED_PIECES, [batch.limit, batch.deletable]);
}

const DELETE_PIECES_OF_ACCOUNT = statement(
  'delete_pieces_of_account',
  'DELETE FROM resumable_upload WHERE account_id = $1 RETURNING parts',
);

export function deletePiecesOfAccount(tx: Tx, accountId: string): Promise<Array<{ parts: string[] }>> {
  return tx.query(DELETE_PIECES_OF_ACCOUNT, [accountId]);
}

/** The rows that the sweep compares objects with: the owner of a key is the third segment of its name after the prefix. */
const KNOWN_OWNERS = {
  'a/': statement('known_assets', 'SELECT id FROM asset WHERE id = ANY ($1::uuid[])'),
  'u/': statement('known_pieces', 'SELECT id FROM resumable_upload WHERE id = ANY ($1::uuid[])'),
} as const;
export type ObjectKind = keyof typeof KNOWN_OWNERS;
export const OBJECT_KINDS = Object.keys(KNOWN_OWNERS) as ObjectKind[];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export async function findKnownOwners(
  db: Db,
  options: { kind: ObjectKind; ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const uuids = options.ids.filter((id) => UUID.test(id));
  if (uuids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(KNOWN_OWNERS[options.kind], [uuids]);
  return new Set(rows.map((row) => row.id));
}

const FIND_PLACE = statement('find_sweep_place', 'SELECT after_key AS "afterKey" FROM sweep_place WHERE prefix = $1');

export async function findSweepPlace(db: Db, prefix: string): Promise<string | null> {
  const [row] = await db.query<{ afterKey: string }>(FIND_PLACE, [prefix]);
  return row?.afterKey ?? null;
}

const SAVE_PLACE = statement(
  'save_sweep_place',
  `INSERT INTO sweep_place (prefix, after_key) VALUES ($1, $2) ON CONFLICT (prefix) DO UPDATE SET after_key = excluded.after_key`,
);
const CLEAR_PLACE = statement('clear_sweep_place', 'DELETE FROM sweep_place WHERE prefix = $1');

/** Null: the pass is complete, and the next one starts at the first key. */
export async function saveSweepPlace(db: Db, place: { prefix: string; afterKey: string | null }): Promise<void> {
  if (place.afterKey === null) await db.query(CLEAR_PLACE, [place.prefix]);
  else await db.query(SAVE_PLACE, [place.prefix, place.afterKey]);
}

const ASSET_PAGE = statement(
  'asset_page',
  'SELECT id, object_key AS "objectKey", bytes, variants FROM asset WHERE id > $1 ORDER BY id LIMIT $2',
);

export function findAssetPage(
  db: Db,
  page: { after: string; limit: number },
): Promise<Array<DeletedRow & { readonly id: string; readonly bytes: number }>> {
  return db.query(ASSET_PAGE, [page.after, page.limit]);
}
