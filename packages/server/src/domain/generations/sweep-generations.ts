import { withStatementTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { clearOldGenerations } from './erasure.store.ts';

const BATCH = 500;

/**
 * Removes params, error texts and idempotency fingerprints from generations that ended long ago. Ids, coins and times stay,
 * with their hold and transfers. Small batches by index keep the locks short.
 */
export async function sweepGenerations(
  services: Pick<Services, 'db' | 'limits'>,
  signal: AbortSignal,
): Promise<number> {
  let cleared = 0;
  for (;;) {
    const count = await withStatementTx(services.db, (tx) =>
      clearOldGenerations(tx, { days: services.limits.generationRetentionDays, limit: BATCH }),
    );
    cleared += count;
    if (count < BATCH || signal.aborted) return cleared;
  }
}
