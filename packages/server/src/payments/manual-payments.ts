import type { CoinOffer, PaymentRules, Payments } from '../domain/payments/payments.ts';
import { Problem } from '../platform/problem.ts';

/** Nobody takes money: people ask the operator, who grants coins. */
export function createManualPayments(
  { currency, contact }: Pick<CoinOffer, 'currency' | 'contact'>,
  rules: PaymentRules,
): Payments {
  const refuse = (): never => {
    throw new Problem('not_found', 'Coins are not sold here. Ask the operator for coins.');
  };
  return {
    offer: { driver: 'manual', currency, packages: [], contact },
    rules,
    openCheckout: async () => refuse(),
    readEvent: refuse,
    findOrigin: async () => refuse(),
  };
}
