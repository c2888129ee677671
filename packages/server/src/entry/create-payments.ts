import type { PaymentRules, Payments } from '../domain/payments/payments.ts';
import type { Services } from '../domain/services.ts';
import { createManualPayments } from '../payments/manual-payments.ts';
import { createStripePayments } from '../payments/stripe-payments.ts';
import type { Config } from './config/config.ts';

export function createPayments(config: Config, { clock, log }: Pick<Services, 'clock' | 'log'>): Payments {
  const { offer, stripe } = config.payments;
  const rules = paymentRulesOf(config);
  if (stripe === null) return createManualPayments(offer, rules);
  return createStripePayments({ ...stripe, offer, rules, clock, log });
}

export function paymentRulesOf({ cell, payments }: Config): PaymentRules {
  return { cell, locksDisputes: payments.locksDisputes };
}
