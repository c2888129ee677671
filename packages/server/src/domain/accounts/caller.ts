import type { Channel, Scope } from '@atelier/contract';

export type AccountMode = 'live' | 'test';

/** Who calls, as authentication found them; at most a few seconds old. Money re-reads the rows it depends on. */
export interface Caller {
  readonly accountId: string;
  readonly mode: AccountMode;
  readonly locked: boolean;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly channel: Channel;
  readonly keyRateLimit: number;
  readonly accountRateLimit: number;
}
