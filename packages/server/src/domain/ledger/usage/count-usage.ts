import { withTx } from '../../../platform/db.ts';
import type { Services } from '../../services.ts';
import { countUsage, deleteUsage, hasPendingUsage, lockUsagePosition } from './usage.store.ts';

/** Transfers of one transaction, which takes some tens of milliseconds. */
const BATCH = 2_000;
/** Of one request. An account that was never counted needs several requests. */
const MAX_BATCHES = 20;
const MAX_MS = 2_000;

/**
 * Counts the captures since the last count, each once. All transfers of an account are inserted under the lock of its row, so they
 * become visible in the order of their ids: none appears before a position that was passed. Returns whether all are counted.
 */
export async function countNewUsage(services: Pick<Services, 'db'>, accountId: string): Promise<boolean> {
  const endsAtMs = Date.now() + MAX_MS;
  for (let batch = 0; batch < MAX_BATCHES && Date.now() < endsAtMs; batch += 1) {
    if (!(await hasPendingUsage(services.db, accountId))) return true;
    await withTx(services.db, async (tx) => {
      const after = await lockUsagePosition(tx, accountId);
      if (after !== null) await countUsage(tx, { accountId, after, limit: BATCH });
    });
  }
  return !(await hasPendingUsage(services.db, accountId));
}

/** Removes the projects of an erased account. What it was charged is counted again, without them. */
export function forgetUsage(services: Pick<Services, 'db'>, accountId: string): Promise<void> {
  return withTx(services.db, async (tx) => {
    await lockUsagePosition(tx, accountId);
    await deleteUsage(tx, accountId);
  });
}
