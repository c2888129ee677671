import { withStatementTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { forgetUsage } from '../ledger/usage/count-usage.ts';
import type { Services } from '../services.ts';
import { beginErasureRow, countLive, eraseBatch, findQueued, type HistoryPlace } from './erasure.store.ts';
import { cancelRow } from './generations.store.ts';

const BATCH = 200;
const BEGINNING: HistoryPlace = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/** The first step of an erasure: locks the account, revokes its keys and removes its names. Nothing new is accepted afterwards. */
export async function beginErasure(
  services: Pick<Services, 'db'>,
  options: { accountId: string; actor: string },
): Promise<void> {
  if (!(await withStatementTx(services.db, (tx) => beginErasureRow(tx, options)))) {
    throw new Problem('not_found', 'There is no such account.');
  }
}

export interface ErasedGenerations {
  readonly canceled: number;
  readonly erased: number;
  /** What was not erased, because it still ran. */
  readonly live: number;
}

/**
 * Cancels the queued generations of an account and releases their coins, and removes prompts, params and effect texts of those that
 * ended. Coins and transfers stay. Safe to repeat: all is erased once `live` is 0.
 */
export async function eraseAccountGenerations(
  services: Pick<Services, 'db' | 'wake'>,
  accountId: string,
): Promise<ErasedGenerations> {
  const canceled = await cancelQueued(services, accountId);
  // Before the texts: a generation that ends after this is among those counted, even if its texts are not found any more below.
  const live = await countLive(services.db, accountId);
  let erased = 0;
  for (let after = BEGINNING; ; ) {
    const batch = await withStatementTx(services.db, (tx) => eraseBatch(tx, { accountId, after, limit: BATCH }));
    if (batch === null) break;
    erased += batch.erased;
    after = batch.last;
  }
  // After the projects of the generations, which it is counted from.
  await forgetUsage(services, accountId);
  return { canceled, erased, live };
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
