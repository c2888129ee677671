import { type Db, isAccountErased, withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { MAX_PARKED } from './apply-payment-event.ts';
import { deleteParked, findParked, listParkedRows, type ParkedRow } from './payment-events.store.ts';
import type { PaymentRules } from './payments.ts';
import { placeEvent } from './receive-payment-event.ts';

/**
 * Carries the parked events of accounts that moved to the cell that has them. First each is stored there, then it is deleted here: one that
 * is carried twice counts once.
 */
export async function carryParkedEvents(
  from: { readonly db: Db },
  to: { readonly db: Db; readonly paymentRules: PaymentRules },
  accountIds: readonly string[],
): Promise<{ carried: number; left: number }> {
  const events = await findParked(from.db, { accountIds, limit: MAX_PARKED });
  let carried = 0;
  for (const event of events) {
    const outcome = await withTx(to.db, (tx) =>
      placeEvent(tx, event, { rules: to.paymentRules, isCarried: true }),
    ).catch((error: unknown) => {
      if (isAccountErased(error)) return 'erased';
      throw error;
    });
    // Stays here for an operator, as an event that is refused stays at the provider.
    if (outcome === 'mismatch' || outcome === 'erased') continue;
    await withTx(from.db, (tx) => deleteParked(tx, event.id));
    carried += 1;
  }
  return { carried, left: events.length - carried };
}

export function listParkedEvents({ db }: Pick<Services, 'db'>, { limit }: { limit: number }): Promise<ParkedRow[]> {
  return listParkedRows(db, limit);
}

/** Gives up on an event, such as one of an installation that has the same CELL and the same account at the provider. */
export async function discardParkedEvent(
  { db }: Pick<Services, 'db'>,
  { eventId, actor }: { eventId: string; actor: string },
): Promise<{ id: string; accountId: string }> {
  return withTx(db, async (tx) => {
    const accountId = await deleteParked(tx, eventId);
    if (accountId === null) throw new Problem('not_found', 'There is no such parked event.');
    await recordAudit(tx, { actor, action: 'payment.discarded', accountId: null, detail: { eventId, accountId } });
    return { id: eventId, accountId };
  });
}
