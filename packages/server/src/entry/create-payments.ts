import type { Payments } from '../domain/payments/payments.ts';
import type { Services } from '../domain/services.ts';
import { createManualPayments } from '../payments/manual-payments.ts';
import { createStripePayments } from '../payments/stripe-payments.ts';
import type { Config } from './config/config.ts';

export function createPayments(
  { payments: { offer, stripe } }: Config,
  { clock, log }: Pick<Services, 'clock' | 'log'>,
): Payments {
  return stripe === null ? createManualPayments(offer) : createStripePayments({ ...stripe, offer, clock, log });
}
