import type { CoinPackage } from '@atelier/contract/console';
import type { SettingName } from './settings.ts';

const MAX_PACKAGES = 12;
const MAX_AMOUNT = 99_999_999;
const MAX_COINS = 1_000_000_000;

/** The settings of payments. */
export function readPayments(
  read: {
    text(name: SettingName): string;
    list(name: SettingName): string[];
    url(name: SettingName): string;
    boolean(name: SettingName): boolean;
  },
  errors: string[],
) {
  const isStripe = read.text('PAYMENTS') === 'stripe';
  const currency = read.text('COIN_CURRENCY').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) errors.push('COIN_CURRENCY must be three letters, such as usd');
  const packages = read.list('COIN_PACKAGES').map((given) => readPackage(given, errors));
  if (packages.length > MAX_PACKAGES) errors.push(`COIN_PACKAGES must have at most ${MAX_PACKAGES} packages`);
  if (new Set(packages.map(({ id }) => id)).size < packages.length) {
    errors.push('COIN_PACKAGES must not have a package twice');
  }
  const [secretKey, webhookSecret] = [read.text('STRIPE_SECRET_KEY'), read.text('STRIPE_WEBHOOK_SECRET')];
  if (isStripe && (secretKey === '' || webhookSecret === '')) {
    errors.push('PAYMENTS=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET');
  }
  if (isStripe && packages.length === 0) errors.push('PAYMENTS=stripe needs COIN_PACKAGES');
  return {
    offer: { currency, packages, contact: read.text('PAYMENTS_CONTACT') || null },
    locksDisputes: read.boolean('LOCK_ON_DISPUTE'),
    stripe: isStripe ? { apiUrl: read.url('STRIPE_API_URL'), secretKey, webhookSecret } : null,
  };
}

function readPackage(given: string, errors: string[]): CoinPackage {
  const [amount = Number.NaN, coins = Number.NaN] = /^\d+=\d+$/.test(given) ? given.split('=').map(Number) : [];
  if (!(amount >= 1 && amount <= MAX_AMOUNT && coins >= 1 && coins <= MAX_COINS)) {
    errors.push(`COIN_PACKAGES must be prices with their coins, such as 1000=1000, not ${given}`);
  }
  return { id: `${amount}-${coins}`, amount, coins };
}
