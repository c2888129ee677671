import type { Channel, Scope } from '@atelier/contract';

export type AccountMode = 'live' | 'test';

/** Who calls, as authentication found them; at most a few seconds old. Money re-reads the rows it depends on. */
export interface Caller {
  readonly accountId: string;
  readonly mode: AccountMode;
  readonly locked: boolean;
  /** Null for a signed-in session, which has no key. */
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** Of this request: one key may be used on several. */
  readonly channel: Channel;
  /** Without a key, that of the account. */
  readonly keyRateLimit: number;
  readonly accountRateLimit: number;
}
