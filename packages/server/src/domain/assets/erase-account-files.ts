import { withStatementTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { deleteOwned, requireOwnership } from './bucket/bucket-ownership.ts';
import { deleteOfAccount, deletePiecesOfAccount } from './bucket/retention.store.ts';

const BATCH = 200;

/**
 * Deletes every file of an account now, regardless of retention: first the rows, then their objects. Safe to repeat; a
 * crash between the two leaves orphans, which the sweep deletes. The outputs of a generation are deleted after its texts.
 */
export async function eraseAccountFiles(
  services: Pick<Services, 'db' | 'store'>,
  accountId: string,
): Promise<{ files: number }> {
  await requireOwnership(services);
  let files = 0;
  for (;;) {
    const rows = await withStatementTx(services.db, (tx) => deleteOfAccount(tx, { accountId, limit: BATCH }));
    if (rows.length === 0) break;
    await deleteOwned(
      services,
      rows.flatMap((row) => [row.objectKey, ...Object.values(row.variants).map((variant) => variant.key)]),
    );
    files += rows.length;
  }
  const pieces = await withStatementTx(services.db, (tx) => deletePiecesOfAccount(tx, accountId));
  await deleteOwned(
    services,
    pieces.flatMap((row) => row.parts),
  );
  return { files };
}
