import { isSealedByFirstKey, isSealedByKnownKey, type KeyRing, seal, unseal } from '../../../platform/crypto.ts';
import { type Db, withTx } from '../../../platform/db.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { findSealedSecrets, replaceSealedSecret } from './sealed-secrets.store.ts';

const BATCH = 200;

export interface Resealed {
  readonly resealed: number;
  /** Already sealed by the first master key. */
  readonly current: number;
  /** Endpoints whose secret no given master key opens: their owners must rotate it. */
  readonly unopened: readonly string[];
}

/**
 * Seals every webhook secret with the first master key, so that older keys can be removed. Secrets and signatures do not
 * change. Safe to repeat, to run concurrently, and to run while the service runs.
 */
export async function resealSecrets(
  services: { db: Db; keys: KeyRing },
  options: { actor: string },
): Promise<Resealed> {
  const { db, keys } = services;
  const unopened: string[] = [];
  let resealed = 0;
  let current = 0;
  for (let afterId: string | null = null; ; ) {
    const rows = await findSealedSecrets(db, { afterId, limit: BATCH });
    await withTx(db, async (tx) => {
      let inBatch = 0;
      for (const { endpointId, sealed } of rows) {
        if (isSealedByFirstKey(keys, sealed)) current += 1;
        else if (!isSealedByKnownKey(keys, sealed)) unopened.push(endpointId);
        else {
          const plaintext = unseal({ keys, sealed, rowId: endpointId });
          const next = seal({ keys, plaintext, rowId: endpointId });
          // A secret that was rotated meanwhile is already sealed by the first key.
          if (await replaceSealedSecret(tx, { endpointId, from: sealed, to: next })) inBatch += 1;
        }
      }
      if (inBatch > 0) {
        await recordAudit(tx, {
          actor: options.actor,
          action: 'webhook.secrets_resealed',
          accountId: null,
          detail: { endpoints: inBatch, masterKey: keys.kid },
        });
      }
      resealed += inBatch;
    });
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return { resealed, current, unopened };
    afterId = last.endpointId;
  }
}
