import { type Db, isContention, isDatabaseUnavailable, withStatementTx } from '../../../platform/db.ts';
import { createBatcher } from '../../../platform/flow/batcher.ts';
import { type Settlement, type SettleOutcome, settleRow, settleRows } from './runs.store.ts';

/** Larger batches gain little more, and hold the locks of more accounts. */
const MAX_BATCH = 50;
/** How long one statement, waiting for a lock, may delay the ends of other accounts. */
const OVERLAP_AFTER_MS = 250;

/** Writes the end of a run. */
export type Settler = (settlement: Settlement) => Promise<SettleOutcome>;

/**
 * A lone end is written immediately. Ends that arrive while a statement is under way share the next one: its plans, its checks and
 * its flush to disk.
 */
export function createSettler({ db }: { db: Db }): Settler {
  const settleAlone: Settler = (settlement) => withStatementTx(db, (tx) => settleRow(tx, settlement));

  const settleTogether = async (settlements: readonly Settlement[]): Promise<SettleOutcome[]> => {
    const { settled, wake } = await withStatementTx(db, (tx) => settleRows(tx, settlements));
    const ended = new Set(settled);
    return settlements.map(({ id }, n) => ({
      outcome: ended.has(id) ? 'settled' : 'fenced',
      wake: n === 0 ? wake : null,
    }));
  };

  return createBatcher<Settlement, SettleOutcome>({
    maxBatch: MAX_BATCH,
    keyOf: ({ id }) => id,
    overlapAfterMs: OVERLAP_AFTER_MS,
    run: async (settlements) => {
      const [first, second] = settlements;
      return first !== undefined && second === undefined ? [await settleAlone(first)] : settleTogether(settlements);
    },
    async refused(settlement, error) {
      // The batch may have been committed, or nothing can be written now.
      if (isDatabaseUnavailable(error) && !isContention(error)) throw error;
      // One member can be the reason that all were refused.
      return settleAlone(settlement);
    },
  });
}
