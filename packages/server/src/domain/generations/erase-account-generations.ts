import { withStatementTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { forgetUsage } from '../ledger/usage/count-usage.ts';
import type { Services } from '../services.ts';
import { beginErasure, countLive, eraseBatch, findQueued, type HistoryPlace } from './erasure.store.ts';
import { cancelRow } from './generations.store.ts';

const BATCH = 200;
const BEGINNING: HistoryPlace = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

export interface ErasedGenerations {
  readonly canceled: number;
  readonly erased: number;
  /** Still running: their texts and outputs remain until they end. The caller then repeats the erasure. */
  readonly live: number;
}

/**
 * Erases an account's content: revokes its keys, locks the account, cancels queued generations and releases their coins,
 * and removes prompts, params and effect texts. Coins and transfers stay. Safe to repeat.
 */
export async function eraseAccountGenerations(
  services: Pick<Services, 'db' | 'wake'>,
  options: { accountId: string; actor: string },
): Promise<ErasedGenerations> {
  const { accountId } = options;
  if (!(await withStatementTx(services.db, (tx) => beginErasure(tx, options)))) {
    throw new Problem('not_found', 'There is no such account.');
  }
  const canceled = await cancelQueued(services, accountId);
  let erased = 0;
  for (let after = BEGINNING; ; ) {
    const batch = await withStatementTx(services.db, (tx) => eraseBatch(tx, { accountId, after, limit: BATCH }));
    if (batch === null) break;
    erased += batch.erased;
    after = batch.last;
  }
  // After the projects of the generations, which it is counted from.
  await forgetUsage(services, accountId);
  return { canceled, erased, live: await countLive(services.db, accountId) };
}

async function cancelQueued(services: Pick<Services, 'db' | 'wake'>, accountId: string): Promise<number> {
  let canceled = 0;
  for (;;) {
    const ids = await findQueued(services.db, { accountId, limit: BATCH });
    if (ids.length === 0) return canceled;
    for (const id of ids) {
      const { outcome, wake } = await withStatementTx(services.db, (tx) => cancelRow(tx, { accountId, id }));
      services.wake(wake ?? []);
      if (outcome === 'canceled') canceled += 1;
    }
  }
}
