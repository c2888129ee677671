import Type, { type Static } from 'typebox';
import { Closed, DateTime, Nullable, Positive } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

const price = {
  amount: Positive('Price in the smallest unit of the currency, such as cents.'),
  coins: Positive('Coins that it gives.'),
};
const Currency = Type.String({ pattern: '^[a-z]{3}$', description: 'ISO 4217, in lower case.' });

export const CoinPackage = Type.Object({ id: Type.String(), ...price });
export type CoinPackage = Static<typeof CoinPackage>;

export const CoinPackages = Type.Object({
  driver: Type.Enum(['manual', 'stripe'], { description: 'manual: nothing is sold here; ask for coins.' }),
  currency: Currency,
  packages: Type.Array(CoinPackage),
  contact: Nullable(Type.String({ description: 'Whom to ask for coins.' })),
});
export type CoinPackages = Static<typeof CoinPackages>;

export const CreateCheckoutBody = Type.Object({ packageId: Type.String({ maxLength: 40 }) }, Closed);

export const CreatedCheckout = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  url: Type.String({ description: 'The page of the payment provider where the person pays.' }),
});

export const CHECKOUT_STATUSES = ['open', 'paid', 'expired'] as const;

export const Checkout = Type.Object({
  id: Type.String({ pattern: UUID_PATTERN }),
  status: Type.Enum(CHECKOUT_STATUSES, { description: 'paid: the coins are in the account.' }),
  ...price,
  currency: Currency,
  createdAt: DateTime(),
});
export type Checkout = Static<typeof Checkout>;
