import type { Tx } from '../../platform/db.ts';
import { lockForDispute, unlockAfterDispute } from '../accounts/lock-account.ts';
import { adjustCoins } from '../ledger/adjust-coins.ts';
import { grantCoins } from '../ledger/grant-coins.ts';
import { recordAudit } from '../operator/record-audit.ts';
import {
  type CheckoutNames,
  type CheckoutRow,
  expireCheckout,
  findCoinsToTake,
  findNamedCheckout,
  findPaidCheckouts,
  findTakenDisputes,
  insertCheckout,
  saveDispute,
  saveRefund,
  setCheckoutPaid,
  setCoinsTaken,
} from './checkouts.store.ts';
import { deleteParked, findParked, insertPaymentEvent, isApplied, isErased } from './payment-events.store.ts';
import type { PaymentChange, PaymentEvent, PaymentRules } from './payments.ts';

const ACTOR = 'payments';
/** Far more than an account has: they are a few at most. */
export const MAX_PARKED = 1_000;

/**
 * `waiting`: the payment itself was not reported yet. `unknown`: there is no such checkout here. `mismatch`: another amount than that of
 * the checkout was paid.
 */
type Application = 'applied' | 'waiting' | 'unknown' | 'mismatch';

export function namesOf({ origin, change }: PaymentEvent): CheckoutNames {
  return { checkoutId: origin?.checkoutId ?? null, paymentRef: 'paymentRef' in change ? change.paymentRef : null };
}

/** Applies an event to an account that is here and locked. Whoever may rebuild believes the event about a checkout that is not known. */
export async function applyPaymentEvent(
  tx: Tx,
  event: PaymentEvent,
  { accountId, mayRebuild, rules }: { accountId: string; mayRebuild: boolean; rules: PaymentRules },
): Promise<Application> {
  const { change } = event;
  const known = await findNamedCheckout(tx, { accountId, ...namesOf(event) });
  if (change.kind === 'expired') {
    if (known === null) return 'unknown';
    await expireCheckout(tx, known.id);
    return applied(tx, event, accountId);
  }
  if (change.kind === 'paid') {
    const checkout = known ?? (mayRebuild ? await rebuildCheckout(tx, event, accountId) : null);
    if (checkout === null) return 'unknown';
    if (change.amount !== checkout.amount || change.currency !== checkout.currency) return 'mismatch';
    if (checkout.status !== 'paid') await applyPaid(tx, checkout, { event, paymentRef: change.paymentRef });
    return applied(tx, event, accountId);
  }
  if (known?.status !== 'paid') return known !== null || mayRebuild ? 'waiting' : 'unknown';
  const before = await findTakenDisputes(tx, accountId);
  await saveTaken(tx, event, change);
  await takeBack(tx, known, event.id);
  if (change.kind === 'disputed') await followDispute(tx, { accountId, disputeId: change.disputeRef, before, rules });
  return applied(tx, event, accountId);
}

/**
 * Applies what was parked for an account that is here and locked. What cannot be applied stays parked, also a payment of an account that
 * was erased, which the operator returns.
 */
export async function applyParkedEvents(
  tx: Tx,
  { accountId, rules }: { accountId: string; rules: PaymentRules },
): Promise<void> {
  for (const event of await findParked(tx, { accountIds: [accountId], limit: MAX_PARKED })) {
    // By another cell, from which the account came.
    if (await isApplied(tx, event.id)) await deleteParked(tx, event.id);
    else if (event.change.kind !== 'paid' || !(await isErased(tx, accountId)))
      await applyPaymentEvent(tx, event, { accountId, mayRebuild: true, rules });
  }
}

/**
 * Takes back what refunds and disputes say that were stored here before their checkouts arrived. The account is locked. The reference
 * names what brought them here.
 */
export async function settleArrivedCheckouts(
  tx: Tx,
  { accountId, reference }: { accountId: string; reference: string },
): Promise<void> {
  for (const checkout of await findPaidCheckouts(tx, accountId)) await takeBack(tx, checkout, reference);
}

async function applied(tx: Tx, event: PaymentEvent, accountId: string): Promise<'applied'> {
  await insertPaymentEvent(tx, event, accountId);
  await deleteParked(tx, event.id);
  return 'applied';
}

/** A checkout that was opened after the backup from which this database was restored. */
async function rebuildCheckout(tx: Tx, { id, origin }: PaymentEvent, accountId: string): Promise<CheckoutRow | null> {
  if (origin === null || origin.order === null || origin.order.accountId !== accountId) return null;
  const { checkoutId, order } = origin;
  if (!(await insertCheckout(tx, { ...order, id: checkoutId }))) return null;
  const detail = { checkoutId, coins: order.coins, eventId: id };
  await recordAudit(tx, { actor: ACTOR, action: 'checkout.rebuilt', accountId, detail });
  return findNamedCheckout(tx, { accountId, checkoutId, paymentRef: null });
}

async function applyPaid(
  tx: Tx,
  checkout: CheckoutRow,
  { event, paymentRef }: { event: PaymentEvent; paymentRef: string },
): Promise<void> {
  const { id, accountId, coins } = checkout;
  const grant = { accountId, coins, actor: ACTOR, reason: 'coins bought', reference: `checkout/${id}` };
  const { transferId } = await grantCoins(tx, grant);
  await setCheckoutPaid(tx, { id, paymentRef, transferId });
  // Refunds and disputes that an earlier version stored before the payment was reported.
  await takeBack(tx, checkout, event.id);
}

async function saveTaken(
  tx: Tx,
  event: PaymentEvent,
  change: Extract<PaymentChange, { kind: 'refunded' | 'disputed' }>,
): Promise<void> {
  if (change.kind === 'refunded') await saveRefund(tx, change);
  else await saveDispute(tx, { ...change, id: change.disputeRef, asOf: event.createdAt });
}

/** Locks the account when a charge-back begins, once: an operator may unlock it. The last dispute that is won ends the lock. */
async function followDispute(
  tx: Tx,
  dispute: { accountId: string; disputeId: string; before: ReadonlySet<string>; rules: PaymentRules },
): Promise<void> {
  const { accountId, disputeId, before, rules } = dispute;
  const after = await findTakenDisputes(tx, accountId);
  const [wasTaken, isTaken] = [before.has(disputeId), after.has(disputeId)];
  if (isTaken && !wasTaken && rules.locksDisputes) await lockForDispute(tx, { accountId, actor: ACTOR });
  if (wasTaken && after.size === 0) await unlockAfterDispute(tx, { accountId, actor: ACTOR });
}

/** Takes coins back for what was refunded or is disputed, or returns them after a dispute was won. The balance may become negative. */
async function takeBack(tx: Tx, checkout: CheckoutRow, cause: string): Promise<void> {
  const coins = await findCoinsToTake(tx, checkout.id);
  const change = checkout.coinsTaken - coins;
  if (change === 0) return;
  await adjustCoins(tx, {
    accountId: checkout.accountId,
    coins: change,
    actor: ACTOR,
    reason: change < 0 ? 'payment refunded or disputed' : 'dispute won',
    reference: `checkout/${checkout.id}/${cause}`,
  });
  await setCoinsTaken(tx, { id: checkout.id, coins });
}
