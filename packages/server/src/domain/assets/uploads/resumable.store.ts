import { type Db, statement, type Tx } from '../../../platform/db.ts';
import { type AssetRow, COLUMNS, type NewUpload, uploadValues } from '../assets.store.ts';

export interface ResumableRow {
  readonly id: string;
  readonly bytes: number;
  readonly received: number;
  readonly parts: string[];
  readonly assetId: string | null;
  readonly expiresAt: Date;
}

const SHOWN = `id, bytes, received, parts, asset_id AS "assetId", expires_at AS "expiresAt"`;

/** No row: the account has reached its limit of open uploads. */
const INSERT = statement(
  'open_resumable',
  `SELECT ${SHOWN} FROM open_resumable_upload(p_id => $1, p_account => $2, p_bytes => $3, p_life_hours => $4,
     p_max_open => $5)`,
);

export async function insertResumable(
  tx: Tx,
  upload: { id: string; accountId: string; bytes: number; lifeHours: number; maxOpen: number },
): Promise<ResumableRow | null> {
  const { id, accountId, bytes, lifeHours, maxOpen } = upload;
  const [row] = await tx.query<ResumableRow>(INSERT, [id, accountId, bytes, lifeHours, maxOpen]);
  return row ?? null;
}

const FIND = statement(
  'find_resumable',
  `SELECT ${SHOWN} FROM resumable_upload WHERE account_id = $1 AND id = $2 AND expires_at > now()`,
);

export async function findResumable(db: Db, key: { accountId: string; id: string }): Promise<ResumableRow | null> {
  const [row] = await db.query<ResumableRow>(FIND, [key.accountId, key.id]);
  return row ?? null;
}

/** Of two chunks for the same offset one is recorded; the other finds that the offset has changed. */
const APPEND = statement(
  'append_resumable',
  `UPDATE resumable_upload SET received = received + $4, parts = parts || $5::text
   WHERE account_id = $1 AND id = $2 AND received = $3 AND asset_id IS NULL AND expires_at > now() RETURNING ${SHOWN}`,
);

export async function appendPart(
  tx: Tx,
  part: { accountId: string; id: string; offset: number; bytes: number; key: string },
): Promise<ResumableRow | null> {
  const [row] = await tx.query<ResumableRow>(APPEND, [part.accountId, part.id, part.offset, part.bytes, part.key]);
  return row ?? null;
}

/** Asset and completion in one statement: of two completions, one creates the asset. */
const COMPLETE = statement(
  'complete_resumable',
  `WITH open AS (
     SELECT id FROM account WHERE id = $2 AND locked_at IS NULL FOR SHARE
   ), done AS (
     UPDATE resumable_upload r SET asset_id = $1, parts = '{}' FROM open
     WHERE r.account_id = open.id AND r.id = $14 AND r.asset_id IS NULL RETURNING r.account_id
   )
   INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, width, height, duration_seconds, transparent,
     object_key, variants, expires_at)
   SELECT $1, done.account_id, 'upload', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, now() + $13 * interval '1 day' FROM done
   RETURNING ${COLUMNS}`,
);

export async function insertCompleted(tx: Tx, upload: NewUpload, resumableId: string): Promise<AssetRow | null> {
  const [row] = await tx.query<AssetRow>(COMPLETE, [...uploadValues(upload), resumableId]);
  return row ?? null;
}
