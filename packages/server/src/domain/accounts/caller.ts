import type { Channel, Scope } from '@atelier/contract';

export type AccountMode = 'live' | 'test';

/** The authenticated caller; at most a few seconds old. Operations that move coins read the rows again. */
export interface Caller {
  readonly accountId: string;
  readonly mode: AccountMode;
  readonly locked: boolean;
  /** Null for a signed-in session, which has no key. */
  readonly keyId: string | null;
  /** Whose session it is; absent for a key. */
  readonly personId?: string;
  readonly scopes: readonly Scope[];
  /** The channel of this request: one key may be used on several. */
  readonly channel: Channel;
  /** Without a key, the limit of the account. */
  readonly keyRateLimit: number;
  readonly accountRateLimit: number;
  /** Coins that one request of the key may cost; null for no cap. */
  readonly requestCap: number | null;
}
