import { type Db, statement, type Tx } from '../../platform/db.ts';

/** What an authenticator app and the backup codes are checked with, both encrypted. */
export interface SealedFactor {
  readonly personId: string;
  readonly secret: string;
  readonly backupCodes: string;
}

// Reads all people by key: for the operator's command only, never for a request.
const FIND = statement(
  'find_sealed_factors',
  `SELECT person_id AS "personId", secret, backup_codes AS "backupCodes" FROM person_two_factor
   WHERE ($1::uuid IS NULL OR person_id > $1) ORDER BY person_id LIMIT $2`,
);

export function findSealedFactors(db: Db, page: { afterId: string | null; limit: number }): Promise<SealedFactor[]> {
  return db.query<SealedFactor>(FIND, [page.afterId, page.limit]);
}

const REPLACE = statement(
  'replace_sealed_factor',
  `UPDATE person_two_factor SET secret = $4, backup_codes = $5
   WHERE person_id = $1 AND secret = $2 AND backup_codes = $3 RETURNING person_id`,
);

/** False if the person changed it meanwhile. */
export async function replaceSealedFactor(tx: Tx, from: SealedFactor, to: SealedFactor): Promise<boolean> {
  const values = [from.personId, from.secret, from.backupCodes, to.secret, to.backupCodes];
  return (await tx.query(REPLACE, values)).length > 0;
}
