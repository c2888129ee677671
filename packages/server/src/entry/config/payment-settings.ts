/** Settings of payments; part of the table in settings.ts, which checks their form. */
export const paymentSettings = {
  PAYMENTS: {
    description:
      '`manual`: the operator grants coins. `stripe`: people buy coins with Stripe Checkout (docs/operate/payments.md).',
    kind: 'text',
    default: 'manual',
    values: ['manual', 'stripe'],
  },
  PAYMENTS_CONTACT: {
    description: 'Whom people ask for coins, such as an email address. The console shows it.',
    kind: 'text',
    default: '',
  },
  COIN_PACKAGES: {
    description:
      'What people can buy with PAYMENTS=stripe: prices in the smallest unit of the currency with their coins, such as `1000=1000,4500=5000`.',
    kind: 'list',
    default: '',
  },
  COIN_CURRENCY: { description: 'Currency of the prices, ISO 4217.', kind: 'text', default: 'usd' },
  STRIPE_SECRET_KEY: {
    description: 'Secret or restricted key of the Stripe account. It needs the right to write Checkout Sessions.',
    kind: 'secret',
    default: '',
  },
  STRIPE_WEBHOOK_SECRET: {
    description: "Signing secret of Stripe's webhook endpoint for PUBLIC_URL followed by /payments/stripe.",
    kind: 'secret',
    default: '',
  },
  LOCK_ON_DISPUTE: {
    description: 'Whether a charge-back locks the account, until the dispute is won or an operator unlocks it.',
    kind: 'boolean',
    default: 'true',
  },
  STRIPE_API_URL: { description: "Address of Stripe's API.", kind: 'url', default: 'https://api.stripe.com' },
} as const;
