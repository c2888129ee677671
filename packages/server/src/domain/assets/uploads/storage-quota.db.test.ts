import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { type Tx, withTx } from '../../../platform/db.ts';
import { createMoneyPath, type PathAccount } from '../../generations/testing/create-money-path.ts';
import { TEST_LIMITS } from '../../generations/testing/test-limits.ts';
import { insertUpload } from '../assets.store.ts';
import { createResumableUpload } from './create-resumable-upload.ts';
import { requireStorageRoom, setStorageQuota, withStorageRoom } from './storage-quota.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const limits = TEST_LIMITS;
const refused = { code: 'storage_quota_exceeded' };

const insert = (account: PathAccount, bytes: number) => (tx: Tx) => {
  const id = randomUUID();
  return insertUpload(tx, {
    id,
    accountId: account.accountId,
    kind: 'image',
    mimeType: 'image/png',
    bytes,
    sha256: Buffer.alloc(32),
    width: 8,
    height: 8,
    durationSeconds: null,
    transparent: null,
    objectKey: `a/${id}`,
    variants: {},
    retentionDays: 30,
  });
};
const upload = (account: PathAccount, bytes: number, storageQuotaBytes = 0) =>
  withStorageRoom(
    { db, limits: { ...limits, storageQuotaBytes } },
    { accountId: account.accountId, bytes },
    insert(account, bytes),
  );
const setQuota = (account: PathAccount, bytes: number | null) =>
  withTx(db, (tx) => setStorageQuota(tx, { accountId: account.accountId, bytes, actor: 'tester' }));

test('storage quota per account: without a quota nothing is refused; that of the account overrides that of the installation', async () => {
  const account = await path.makeAccount();
  await upload(account, 900);
  await expect(upload(account, 200, 1_000)).rejects.toMatchObject(refused);
  await upload(account, 100, 1_000);
  await setQuota(account, 1_500);
  await upload(account, 500, 1_000);
  await expect(upload(account, 1, 1_000_000)).rejects.toMatchObject(refused);
  await setQuota(account, null);
  await upload(account, 1);
  expect(
    await path.read(
      `SELECT actor, detail FROM audit_log WHERE account_id = $1 AND action = 'account.quota_set' ORDER BY id`,
      [account.accountId],
    ),
  ).toEqual([
    { actor: 'tester', detail: { bytes: 1_500 } },
    { actor: 'tester', detail: { bytes: null } },
  ]);
});

test('storage quota: expired uploads, outputs and other accounts do not count', async () => {
  const [account, other] = [await path.makeAccount(), await path.makeAccount()];
  await upload(other, 1_000);
  await upload(account, 1_000);
  await owner.pool.query(`UPDATE asset SET expires_at = now() - interval '1 minute' WHERE account_id = $1`, [
    account.accountId,
  ]);
  await path.finish(await path.begin(account));
  await setQuota(account, 1_000);
  await upload(account, 1_000);
  await expect(upload(account, 1)).rejects.toMatchObject(refused);
});

test('storage quota: uploads that complete concurrently do not exceed it together', async () => {
  const account = await path.makeAccount();
  await setQuota(account, 1_000);
  const ends = await Promise.allSettled(Array.from({ length: 12 }, () => upload(account, 300)));
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(refused);
});

test('storage quota: an announced size beyond the quota is refused before anything is received', async () => {
  const account = await path.makeAccount();
  const { accountId } = account;
  await setQuota(account, 1_000);
  await expect(requireStorageRoom({ db, limits }, { accountId, bytes: 1_001 })).rejects.toMatchObject(refused);
  await expect(createResumableUpload({ db, limits }, { accountId, bytes: 1_001 })).rejects.toMatchObject(refused);
  expect(await createResumableUpload({ db, limits }, { accountId, bytes: 1_000 })).toMatchObject({ bytes: 1_000 });
});
