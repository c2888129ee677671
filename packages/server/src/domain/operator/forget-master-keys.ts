import { type Db, withTx } from '../../platform/db.ts';
import { deleteFingerprints, lockFingerprints } from './operator.store.ts';
import { recordAudit } from './record-audit.ts';

/** For a database whose key is lost: the next process to start records its keys. */
export function forgetMasterKeys(services: { db: Db }, options: { actor: string }): Promise<{ forgotten: number }> {
  return withTx(services.db, async (tx) => {
    await lockFingerprints(tx);
    const forgotten = await deleteFingerprints(tx);
    await recordAudit(tx, {
      actor: options.actor,
      action: 'master_key.forgotten',
      accountId: null,
      detail: { forgotten },
    });
    return { forgotten };
  });
}
