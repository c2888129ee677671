import type { Scope } from '../vocabulary.ts';
import type { Role } from './session.ts';

/**
 * Every operation of the public API is also served to signed-in people, at `sessionPath`. Which roles may call it follows
 * from the scope that it asks of a key. An operation without a scope is open to every member.
 */
export const SCOPE_ROLES = {
  read: ['owner', 'developer', 'billing', 'viewer'],
  account: ['owner', 'developer', 'billing', 'viewer'],
  generate: ['owner', 'developer'],
  uploads: ['owner', 'developer'],
} as const satisfies Record<Scope, readonly Role[]>;

/** Where the console serves a path of the public API: `/v1/account` is `/api/accounts/{accountId}/v1/account`. */
export function sessionPath(path: string, accountId = '{accountId}'): string {
  return `/api/accounts/${accountId}${path}`;
}
