import type { CoinPackage } from '@atelier/contract/console';

/** What people can buy, and how. */
export interface CoinOffer {
  readonly driver: 'manual' | 'stripe';
  /** Three lower-case letters, ISO 4217. */
  readonly currency: string;
  readonly packages: readonly CoinPackage[];
  /** Whom to ask for coins; null if nobody is named. */
  readonly contact: string | null;
}

export interface CheckoutOrder {
  /** The same id opens the same page, however often it is sent. */
  readonly checkoutId: string;
  readonly amount: number;
  readonly currency: string;
  readonly coins: number;
  readonly email: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** What an event of the provider says. Amounts are in the smallest unit of the currency. */
export type PaymentChange =
  | {
      readonly kind: 'paid';
      readonly checkoutId: string;
      readonly paymentRef: string;
      readonly amount: number;
      readonly currency: string;
    }
  | { readonly kind: 'expired'; readonly checkoutId: string }
  /** All that was refunded of the payment so far. */
  | { readonly kind: 'refunded'; readonly paymentRef: string; readonly amount: number }
  | {
      readonly kind: 'disputed';
      readonly paymentRef: string;
      readonly disputeRef: string;
      readonly amount: number;
      /** Whether the provider holds or has taken the money. */
      readonly isTaken: boolean;
      readonly isFinal: boolean;
    };

export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** Null if the event means nothing here. */
  readonly change: PaymentChange | null;
}

/** The port to whoever takes the money. */
export interface Payments {
  readonly offer: CoinOffer;
  /** Returns the address of the page where the person pays. Throws a problem if the provider does not answer. */
  openCheckout(order: CheckoutOrder): Promise<{ url: string }>;
  /** Reads an event from the exact bytes that were received. Throws a problem unless the provider signed them. */
  readEvent(message: { body: Buffer; signature: string }): PaymentEvent;
}
