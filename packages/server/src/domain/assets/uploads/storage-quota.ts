import { type Tx, withStatementTx, withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import type { Services } from '../../services.ts';
import { findStorageQuota, lockUploads, setStorageQuotaRow, sumUploads } from './storage-quota.store.ts';

type QuotaServices = Pick<Services, 'db' | 'limits'>;
const BYTES_PER_MB = 1024 * 1024;

/** Refuses before anything is received; the quota is checked again when the stored size is known. */
export async function requireStorageRoom(
  services: QuotaServices,
  upload: { accountId: string; bytes: number },
): Promise<void> {
  const quota = await findQuota(services, upload.accountId);
  if (quota !== null) refuseBeyond(quota, (await sumUploads(services.db, upload.accountId)) + upload.bytes);
}

/** Inserts the row of an upload if the quota allows it, also when several complete concurrently. */
export async function withStorageRoom<T>(
  services: QuotaServices,
  upload: { accountId: string; bytes: number },
  insert: (tx: Tx) => Promise<T>,
): Promise<T> {
  const quota = await findQuota(services, upload.accountId);
  if (quota === null) return withStatementTx(services.db, insert);
  return withTx(services.db, async (tx) => {
    await lockUploads(tx, upload.accountId);
    refuseBeyond(quota, (await sumUploads(tx, upload.accountId)) + upload.bytes);
    return insert(tx);
  });
}

/** The maximum bytes of an account's uploads; null: the limit of the installation. */
export async function setStorageQuota(
  tx: Tx,
  quota: { accountId: string; bytes: number | null; actor: string },
): Promise<void> {
  const { accountId, bytes, actor } = quota;
  if (!(await setStorageQuotaRow(tx, { accountId, bytes }))) {
    throw new Problem('not_found', 'There is no such account.');
  }
  await recordAudit(tx, { actor, action: 'account.quota_set', accountId, detail: { bytes } });
}

async function findQuota(services: QuotaServices, accountId: string): Promise<number | null> {
  const own = await findStorageQuota(services.db, accountId);
  return own ?? (services.limits.storageQuotaBytes > 0 ? services.limits.storageQuotaBytes : null);
}

function refuseBeyond(quota: number, bytes: number): void {
  if (bytes <= quota) return;
  throw new Problem(
    'storage_quota_exceeded',
    `Uploads of this account may take ${(quota / BYTES_PER_MB).toFixed(1)} MB; with this one it would be ${(bytes / BYTES_PER_MB).toFixed(1)} MB.`,
  );
}
