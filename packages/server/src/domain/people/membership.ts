import type { Role } from '@atelier/contract/console';
import type { AccountMode } from '../accounts/caller.ts';

/** The membership behind one account. */
export interface Membership {
  readonly role: Role;
  readonly accountId: string;
  readonly mode: AccountMode;
  readonly pairId: string;
}

/** The membership in a pair of accounts, live and test. */
export interface PairMembership {
  readonly pairId: string;
  /** Display name of the pair. */
  readonly name: string;
  readonly role: Role;
  readonly accountIds: { readonly live: string; readonly test: string };
}
