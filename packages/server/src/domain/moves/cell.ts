import type { PaymentRules } from '../payments/payments.ts';
import type { Services } from '../services.ts';

/** One of the two cells of a move. */
export interface Cell extends Pick<Services, 'db' | 'store' | 'keys' | 'keyPrefix'> {
  /** Its CELL. */
  readonly name: string;
  readonly paymentRules: PaymentRules;
  /** The retention periods of its books. */
  readonly limits: Pick<Services['limits'], 'eventRetentionDays' | 'outputRetentionDays'>;
}
