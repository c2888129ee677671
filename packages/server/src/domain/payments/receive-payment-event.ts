import { type Tx, withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { adjustCoins } from '../ledger/adjust-coins.ts';
import { grantCoins } from '../ledger/grant-coins.ts';
import type { Services } from '../services.ts';
import {
  type CheckoutRow,
  expireCheckout,
  findCoinsToTake,
  insertPaymentEvent,
  lockCheckout,
  lockCheckoutOfPayment,
  lockPayment,
  saveDispute,
  saveRefund,
  setCheckoutPaid,
  setCoinsTaken,
} from './checkouts.store.ts';
import type { PaymentChange, PaymentEvent } from './payments.ts';

const ACTOR = 'payments';

/**
 * Applies an event of the payment provider, once: the event and what it moves are stored in one transaction. Events may arrive
 * repeatedly, at the same time and in any order. Returns false for an event that changed nothing.
 */
export async function receivePaymentEvent(
  services: Pick<Services, 'db' | 'log'>,
  event: PaymentEvent,
): Promise<boolean> {
  const { change } = event;
  if (change === null) return false;
  return withTx(services.db, async (tx) => {
    if (!(await insertPaymentEvent(tx, event))) return false;
    if (change.kind === 'paid') return applyPaid(tx, services, event, change);
    if (change.kind === 'expired') {
      await expireCheckout(tx, change.checkoutId);
      return true;
    }
    await lockPayment(tx, change.paymentRef);
    if (change.kind === 'refunded') await saveRefund(tx, change);
    else await saveDispute(tx, { ...change, id: change.disputeRef, asOf: event.createdAt });
    const checkout = await lockCheckoutOfPayment(tx, change.paymentRef);
    if (checkout !== null) await takeBack(tx, checkout, event);
    return true;
  });
}

async function applyPaid(
  tx: Tx,
  { log }: Pick<Services, 'log'>,
  event: PaymentEvent,
  paid: Extract<PaymentChange, { kind: 'paid' }>,
): Promise<boolean> {
  const { checkoutId, paymentRef } = paid;
  await lockPayment(tx, paymentRef);
  const checkout = await lockCheckout(tx, checkoutId);
  if (checkout === null) {
    log.warn('payment for an unknown checkout', { eventId: event.id });
    return false;
  }
  const { accountId, amount, currency, coins, status } = checkout;
  // Refused, so that the provider shows the failure and the operator looks at it.
  if (paid.amount !== amount || paid.currency !== currency) {
    throw new Problem('invalid_params', `The payment does not match the checkout ${checkoutId}.`);
  }
  if (status === 'paid') return false;
  const grant = { accountId, coins, actor: ACTOR, reason: 'coins bought', reference: `checkout/${checkoutId}` };
  const { transferId } = await grantCoins(tx, grant);
  await setCheckoutPaid(tx, { id: checkoutId, paymentRef, transferId });
  await takeBack(tx, checkout, event);
  return true;
}

/** Takes coins back for what was refunded or is disputed, or returns them after a dispute was won. The balance may become negative. */
async function takeBack(tx: Tx, checkout: CheckoutRow, event: PaymentEvent): Promise<void> {
  const coins = await findCoinsToTake(tx, checkout.id);
  const change = checkout.coinsTaken - coins;
  if (change === 0) return;
  await adjustCoins(tx, {
    accountId: checkout.accountId,
    coins: change,
    actor: ACTOR,
    reason: change < 0 ? 'payment refunded or disputed' : 'dispute won',
    reference: `checkout/${checkout.id}/${event.id}`,
  });
  await setCoinsTaken(tx, { id: checkout.id, coins });
}
