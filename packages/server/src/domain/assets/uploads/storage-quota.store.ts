import { type Db, statement, type Tx } from '../../../platform/db.ts';

const FIND_QUOTA = statement('find_storage_quota', 'SELECT storage_quota AS bytes FROM account WHERE id = $1');

/** Null: no quota is set for the account. */
export async function findStorageQuota(db: Db, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ bytes: number | null }>(FIND_QUOTA, [accountId]);
  return row?.bytes ?? null;
}

// Serializes uploads that complete concurrently, so that they cannot both use the same free space.
const LOCK_ACCOUNT = statement('uploads_lock_account', 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE');

export async function lockUploads(tx: Tx, accountId: string): Promise<void> {
  await tx.query(LOCK_ACCOUNT, [accountId]);
}

// An index-only scan of the index on uploads.
const SUM_UPLOADS = statement(
  'sum_uploads',
  `SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM asset WHERE account_id = $1 AND source = 'upload' AND expires_at > now()`,
);

export async function sumUploads(db: Db | Tx, accountId: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(SUM_UPLOADS, [accountId]);
  return row?.bytes ?? 0;
}

const SET_QUOTA = statement('set_storage_quota', 'UPDATE account SET storage_quota = $2 WHERE id = $1 RETURNING id');

export async function setStorageQuotaRow(tx: Tx, quota: { accountId: string; bytes: number | null }): Promise<boolean> {
  return (await tx.query(SET_QUOTA, [quota.accountId, quota.bytes])).length > 0;
}
