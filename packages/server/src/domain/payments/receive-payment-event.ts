import { type Tx, withTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { applyParkedEvents, applyPaymentEvent, namesOf } from './apply-payment-event.ts';
import { findAccountOfPayment } from './checkouts.store.ts';
import { insertParked, isApplied, lockPayingAccount, type Whereabouts } from './payment-events.store.ts';
import type { PaymentEvent, PaymentRules, Payments } from './payments.ts';

/** Signatures of the provider are accepted with this much difference between its clock and that of the database. */
const CLOCK_DIFFERENCE_MS = 300_000;

/**
 * `parked`: kept until the account arrives or the payment is reported. `known`: it was applied before. `foreign`: it belongs to another
 * cell or another installation, and nothing was stored. `mismatch`: another amount than that of the checkout was paid.
 */
export type PaymentOutcome = 'applied' | 'parked' | 'known' | 'foreign' | 'mismatch';

/**
 * Applies an event of the payment provider, once: the event and what it moves are stored in one transaction. Events may arrive
 * repeatedly, at the same time, in any order, and in every cell.
 */
export async function receivePaymentEvent(
  { db, payments }: Pick<Services, 'db'> & { readonly payments: Payments },
  event: PaymentEvent,
): Promise<PaymentOutcome> {
  const names = namesOf(event);
  let { origin } = event;
  // A dispute does not name its checkout, and the payment may be known in another cell only, or not yet.
  if (origin === null && names.paymentRef !== null && (await findAccountOfPayment(db, names)) === null) {
    origin = await payments.findOrigin(names.paymentRef);
  }
  return withTx(db, (tx) => placeEvent(tx, { ...event, origin }, { rules: payments.rules, isCarried: false }));
}

/** Applies an event, parks it, or leaves it to others. An event that a move carries here belongs here. */
export async function placeEvent(
  tx: Tx,
  event: PaymentEvent,
  { rules, isCarried }: { rules: PaymentRules; isCarried: boolean },
): Promise<PaymentOutcome> {
  const order = event.origin?.order ?? null;
  const accountId = (await findAccountOfPayment(tx, namesOf(event))) ?? order?.accountId ?? null;
  if (accountId === null) return 'foreign';
  const account = await lockPayingAccount(tx, accountId);
  if (await isApplied(tx, event.id)) return 'known';
  const belongsHere = isCarried || order?.cell === rules.cell;
  if (account?.isHere) {
    const application = await applyPaymentEvent(tx, event, { accountId, mayRebuild: belongsHere, rules });
    if (application === 'unknown') return 'foreign';
    // Refunds and disputes that were reported before their payment.
    if (application === 'applied') await applyParkedEvents(tx, { accountId, rules });
    if (application !== 'waiting') return application;
  } else if (account === null ? !belongsHere : !isCarried && hasTargetGot(event, account)) {
    return 'foreign';
  }
  await insertParked(tx, event, accountId);
  return 'parked';
}

/**
 * Whether the cell that the account moved to knew the checkout when it got this event. Otherwise that cell may have ignored it, and a move
 * carries it there.
 */
function hasTargetGot({ createdAt }: PaymentEvent, { arrivedAt }: Whereabouts): boolean {
  return arrivedAt !== null && createdAt.getTime() > arrivedAt.getTime() + CLOCK_DIFFERENCE_MS;
}
