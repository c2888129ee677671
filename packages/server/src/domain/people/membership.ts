import type { AccountMode } from '../accounts/caller.ts';

/** What a member of a pair of accounts may do. */
export const ROLES = ['owner', 'developer', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

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
