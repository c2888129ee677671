import { withTx } from '../../../platform/db.ts';
import { errorFields } from '../../../platform/log.ts';
import type { Services } from '../../services.ts';
import { deleteUnusedUploads } from '../assets.store.ts';
import { deleteOwned } from '../bucket/bucket-ownership.ts';

/**
 * Deletes the uploads of a request that used none of them. Uploads that a generation uses are kept, also one that is being
 * submitted. A failure is logged only: the uploads then stay until they expire.
 */
export async function discardUploads(
  services: Pick<Services, 'db' | 'store' | 'log'>,
  uploads: { readonly accountId: string; readonly ids: readonly string[] },
): Promise<void> {
  if (uploads.ids.length === 0) return;
  try {
    const rows = await withTx(services.db, (tx) => deleteUnusedUploads(tx, uploads));
    await deleteOwned(
      services,
      rows.flatMap((row) => [row.objectKey, ...Object.values(row.variants).map((variant) => variant.key)]),
    );
  } catch (error) {
    services.log.warn('unused uploads not deleted', { accountId: uploads.accountId, ...errorFields(error) });
  }
}
