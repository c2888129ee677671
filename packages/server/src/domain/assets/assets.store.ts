import type { AssetKind } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface StoredVariant {
  readonly key: string;
  readonly bytes: number;
  readonly mimeType: string;
}
export type StoredVariants = { readonly [name: string]: StoredVariant };

export interface AssetRow {
  readonly id: string;
  readonly generationId: string | null;
  readonly kind: AssetKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly transparent: boolean | null;
  readonly stem: 'vocals' | 'drums' | 'bass' | 'other' | null;
  readonly variants: StoredVariants;
  readonly expiresAt: Date | null;
}

export const COLUMNS = `id, generation_id AS "generationId", kind, mime_type AS "mimeType", bytes, width, height,
  duration_seconds AS "durationSeconds", transparent, stem, variants, expires_at AS "expiresAt"`;

/** An expired file is not found, whether or not it has been swept. */
const KEPT = '(expires_at IS NULL OR expires_at > now())';

const FIND_ASSET = statement(
  'find_asset',
  `SELECT ${COLUMNS} FROM asset WHERE account_id = $1 AND id = $2 AND ${KEPT}`,
);

export async function findAsset(db: Db, key: { accountId: string; id: string }): Promise<AssetRow | null> {
  const [row] = await db.query<AssetRow>(FIND_ASSET, [key.accountId, key.id]);
  return row ?? null;
}

const FIND_OUTPUTS = statement(
  'find_outputs',
  `SELECT ${COLUMNS} FROM asset WHERE account_id = $1 AND generation_id = ANY ($2) AND ${KEPT} ORDER BY generation_id, position`,
);

export function findOutputs(db: Db, key: { accountId: string; generationIds: readonly string[] }): Promise<AssetRow[]> {
  return db.query<AssetRow>(FIND_OUTPUTS, [key.accountId, key.generationIds]);
}

/** Each row is read under the account named with it. */
const FIND_OUTPUTS_OF_ACCOUNTS = statement(
  'find_outputs_of_accounts',
  `SELECT ${COLUMNS} FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[])) AS w (account, generation) CROSS JOIN LATERAL (
     SELECT * FROM asset WHERE account_id = w.account AND generation_id = w.generation AND ${KEPT} OFFSET 0
   ) a ORDER BY generation_id, position`,
);

export function findOutputsOfAccounts(
  db: Db,
  wanted: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<AssetRow[]> {
  return db.query<AssetRow>(FIND_OUTPUTS_OF_ACCOUNTS, [
    wanted.map((each) => each.accountId),
    wanted.map((each) => each.id),
  ]);
}

export interface InputRow {
  readonly id: string;
  readonly kind: AssetKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly objectKey: string;
}

const FIND_INPUTS = statement(
  'find_inputs',
  `SELECT id, kind, mime_type AS "mimeType", bytes, width, height, duration_seconds AS "durationSeconds", object_key AS "objectKey"
   FROM asset WHERE account_id = $1 AND id = ANY ($2) AND ${KEPT}`,
);

export function findInputs(db: Db, key: { accountId: string; ids: readonly string[] }): Promise<InputRow[]> {
  return db.query<InputRow>(FIND_INPUTS, [key.accountId, key.ids]);
}

export interface ServedRow {
  readonly objectKey: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly mimeType: string;
  readonly variants: StoredVariants;
  readonly createdAt: Date;
}

/** By primary key alone: the signed link names the asset but no account. */
const FIND_SERVED = statement(
  'find_served',
  `SELECT object_key AS "objectKey", bytes, sha256, mime_type AS "mimeType", variants, created_at AS "createdAt"
   FROM asset WHERE id = $1 AND ${KEPT}`,
);

export async function findServed(db: Db, id: string): Promise<ServedRow | null> {
  const [row] = await db.query<ServedRow>(FIND_SERVED, [id]);
  return row ?? null;
}

export interface NewUpload {
  readonly id: string;
  readonly accountId: string;
  readonly kind: AssetKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly sha256: Buffer;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSeconds: number | null;
  readonly transparent: boolean | null;
  readonly objectKey: string;
  readonly variants: StoredVariants;
  readonly retentionDays: number;
}

/** Reads the account again: if it was locked or erased during the upload, no row is inserted. */
const INSERT_UPLOAD = statement(
  'insert_upload',
  `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, width, height, duration_seconds, transparent,
     object_key, variants, expires_at)
   SELECT $1, a.id, 'upload', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + $13 * interval '1 day'
   FROM account a WHERE a.id = $2 AND a.locked_at IS NULL FOR SHARE
   RETURNING ${COLUMNS}`,
);

export async function insertUpload(tx: Tx, upload: NewUpload): Promise<AssetRow | null> {
  const [row] = await tx.query<AssetRow>(INSERT_UPLOAD, uploadValues(upload));
  return row ?? null;
}

/** The parameters $1 to $13 of every statement that inserts an upload. */
export function uploadValues(upload: NewUpload): unknown[] {
  return [
    upload.id,
    upload.accountId,
    upload.kind,
    upload.mimeType,
    upload.bytes,
    upload.sha256,
    upload.width,
    upload.height,
    upload.durationSeconds,
    upload.transparent,
    upload.objectKey,
    JSON.stringify(upload.variants),
    upload.retentionDays,
  ];
}

/** A statement of its own: it waits for a submit that is using them, so that the next one sees its inputs. */
const LOCK_UPLOADS = statement(
  'lock_uploads',
  `SELECT id FROM asset WHERE account_id = $1 AND id = ANY ($2) AND source = 'upload' ORDER BY id FOR UPDATE`,
);
const DELETE_UNUSED_UPLOADS = statement(
  'delete_unused_uploads',
  `DELETE FROM asset a WHERE a.account_id = $1 AND a.id = ANY ($2) AND a.source = 'upload'
     AND NOT EXISTS (SELECT 1 FROM generation_input i WHERE i.account_id = $1 AND i.asset_id = a.id)
   RETURNING a.object_key AS "objectKey", a.variants`,
);

export async function deleteUnusedUploads(
  tx: Tx,
  key: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<Array<{ readonly objectKey: string; readonly variants: StoredVariants }>> {
  const values = [key.accountId, key.ids];
  await tx.query(LOCK_UPLOADS, values);
  return tx.query(DELETE_UNUSED_UPLOADS, values);
}
