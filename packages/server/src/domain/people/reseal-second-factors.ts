import { type Db, withTx } from '../../platform/db.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { findSealedFactors, replaceSealedFactor } from './second-factors.store.ts';

const BATCH = 200;

/** Encrypts a text again with the first master key. Null if none of the keys opens it. */
export type Reseal = (sealed: string) => Promise<string | null>;

export interface ResealedFactors {
  readonly resealed: number;
  /** Already encrypted with the first master key. */
  readonly current: number;
  /** People whose second factor no given master key opens: they must turn it off and on again. */
  readonly unopened: readonly string[];
}

/**
 * Encrypts the second factors of all people with the first master key, so that older keys can be removed. Their apps and codes
 * keep working. Safe to repeat and to run while the service runs.
 */
export async function resealSecondFactors(
  services: { db: Db; reseal: Reseal },
  options: { actor: string },
): Promise<ResealedFactors> {
  const { db, reseal } = services;
  const unopened: string[] = [];
  let resealed = 0;
  let current = 0;
  for (let afterId: string | null = null; ; ) {
    const rows = await findSealedFactors(db, { afterId, limit: BATCH });
    let inBatch = 0;
    for (const row of rows) {
      const [secret, backupCodes] = [await reseal(row.secret), await reseal(row.backupCodes)];
      if (secret === null || backupCodes === null) unopened.push(row.personId);
      else if (secret === row.secret && backupCodes === row.backupCodes) current += 1;
      else if (await withTx(db, (tx) => replaceSealedFactor(tx, row, { ...row, secret, backupCodes }))) inBatch += 1;
    }
    if (inBatch > 0) {
      await withTx(db, (tx) =>
        recordAudit(tx, {
          actor: options.actor,
          action: 'person.factors_resealed',
          accountId: null,
          detail: { people: inBatch },
        }),
      );
    }
    resealed += inBatch;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return { resealed, current, unopened };
    afterId = last.personId;
  }
}
