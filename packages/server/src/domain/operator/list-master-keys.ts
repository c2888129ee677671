import type { KeyRing } from '../../platform/crypto.ts';
import { type Db, withTx } from '../../platform/db.ts';
import { findFingerprints } from './operator.store.ts';

export interface KnownMasterKey {
  readonly fingerprint: string;
  readonly firstUsedAt: Date;
  /** Whether MASTER_KEY of this process contains it. */
  readonly configured: boolean;
}

/** The master keys that this database was used with. */
export async function listMasterKeys(services: {
  db: Db;
  keys: Pick<KeyRing, 'fingerprints'>;
}): Promise<KnownMasterKey[]> {
  const given = new Set(services.keys.fingerprints());
  const known = await withTx(services.db, (tx) => findFingerprints(tx));
  return known.map((row) => ({ ...row, configured: given.has(row.fingerprint) }));
}
