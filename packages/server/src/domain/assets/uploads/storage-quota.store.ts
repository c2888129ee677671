import { type Db, statement, type Tx } from '../../../platform/db.ts';

const FIND_QUOTA = statement('find_storage_quota', 'SELECT storage_quota AS bytes FROM account WHERE id = $1');

/** Null: the account has none of its own. */
export async function findStorageQuota(db: Db, accountId: string): Promise<number | null> {
  const [row] = await db.query<{ bytes: number | null }>(FIND_QUOTA, [accountId]);
  return row?.bytes ?? null;
}

// Two uploads that end at once take turns here, so that both cannot fit into the same room.
const LOCK_ACCOUNT = statement('uploads_lock_account', 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE');

export async function lockUploads(tx: Tx, accountId: string): Promise<void> {
  await tx.query(LOCK_ACCOUNT, [accountId]);
}

// Answered by the index on uploads alone.
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
