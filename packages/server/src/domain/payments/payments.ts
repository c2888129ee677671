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
  readonly accountId: string;
  readonly amount: number;
  readonly currency: string;
  readonly coins: number;
  readonly email: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** What the provider knows about a checkout, with the payment: enough to rebuild it in a database that was restored from a backup. */
export interface CheckoutOrigin {
  readonly checkoutId: string;
  /** Null for checkouts that an earlier version opened. */
  readonly order: {
    /** The cell that opened the checkout. */
    readonly cell: string;
    readonly accountId: string;
    readonly coins: number;
    readonly amount: number;
    readonly currency: string;
  } | null;
}

/** What an event of the provider says. Amounts are in the smallest unit of the currency. */
export type PaymentChange =
  | { readonly kind: 'paid'; readonly paymentRef: string; readonly amount: number; readonly currency: string }
  | { readonly kind: 'expired' }
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
  /** The checkout that it names; null if it names none, as events about disputes. */
  readonly origin: CheckoutOrigin | null;
  readonly change: PaymentChange;
}

/** How this cell applies events. */
export interface PaymentRules {
  /** Its CELL, which its checkouts name. */
  readonly cell: string;
  /** Whether a charge-back locks the account. */
  readonly locksDisputes: boolean;
}

/** The port to whoever takes the money. */
export interface Payments {
  readonly offer: CoinOffer;
  readonly rules: PaymentRules;
  /** Returns the address of the page where the person pays. Throws a problem if the provider does not answer. */
  openCheckout(order: CheckoutOrder): Promise<{ url: string }>;
  /**
   * Reads an event from the exact bytes that were received; null if the event means nothing here. Throws a problem unless the provider
   * signed them.
   */
  readEvent(message: { body: Buffer; signature: string }): PaymentEvent | null;
  /** Asks the provider for the checkout of a payment; null if it has none of ours. Throws a problem if the provider does not answer. */
  findOrigin(paymentRef: string): Promise<CheckoutOrigin | null>;
}
