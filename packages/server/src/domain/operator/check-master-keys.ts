import type { KeyRing } from '../../platform/crypto.ts';
import { type Db, withTx } from '../../platform/db.ts';
import { findFingerprints, insertFingerprints, lockFingerprints } from './operator.store.ts';

/**
 * Whether these master keys belong to this database. The first keys are recorded. Later, at least one must be known, and
 * then the others are recorded too: this is how a new key before the old one is added.
 */
export async function checkMasterKeys(services: { db: Db; keys: Pick<KeyRing, 'fingerprints'> }): Promise<boolean> {
  const given = services.keys.fingerprints();
  return withTx(services.db, async (tx) => {
    await lockFingerprints(tx);
    const known = new Set((await findFingerprints(tx)).map(({ fingerprint }) => fingerprint));
    if (known.size > 0 && !given.some((each) => known.has(each))) return false;
    const added = given.filter((each) => !known.has(each));
    if (added.length > 0) await insertFingerprints(tx, added);
    return true;
  });
}
