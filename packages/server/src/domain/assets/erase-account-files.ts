import { withStatementTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { deleteOfAccount, deletePiecesOfAccount, OBJECT_PREFIXES } from './retention.store.ts';

const BATCH = 200;
const LIST_PAGE = 1_000;

/**
 * Deletes every file of an account at once, rows first, whatever its retention. Safe to repeat, and to be repeated after a
 * crash: what has no row any more is found by its name.
 */
export async function eraseAccountFiles(
  services: Pick<Services, 'db' | 'store'>,
  accountId: string,
): Promise<{ files: number; objects: number }> {
  let files = 0;
  for (;;) {
    const rows = await withStatementTx(services.db, (tx) => deleteOfAccount(tx, { accountId, limit: BATCH }));
    files += rows.length;
    if (rows.length < BATCH) break;
  }
  await withStatementTx(services.db, (tx) => deletePiecesOfAccount(tx, accountId));
  let objects = 0;
  for (const prefix of OBJECT_PREFIXES) {
    for (;;) {
      const listed = await services.store.list({ prefix: `${prefix}${accountId}/`, limit: LIST_PAGE });
      if (listed.length === 0) break;
      await services.store.deleteMany(listed.map((object) => object.key));
      objects += listed.length;
    }
  }
  return { files, objects };
}
