import Type, { type TSchema } from 'typebox';
import type { ProblemCode } from '../problems.ts';
import { UUID_PATTERN } from '../vocabulary.ts';
import type { Role } from './session.ts';

export interface ConsoleOperationRow {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  /** The members who may call it. Null: any signed-in person; the path then names no account. */
  readonly roles: readonly Role[] | null;
  /** Needs no session. What it answers depends on the request, never on who sends it. */
  readonly public?: true;
  /** Needs a sign-in that is younger than `FRESH_MINUTES`. */
  readonly fresh?: true;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly response: TSchema;
  /** The response is a file, streamed: its schema only says that it is text. */
  readonly file?: true;
  readonly status: 200 | 201;
  readonly problems: readonly ProblemCode[];
}

/** How long after a sign-in the operations marked `fresh` succeed. */
export const FRESH_MINUTES = 15;

/** Sent with every request that changes something. A page of another origin cannot add it. */
export const CONSOLE_HEADER = { name: 'x-atelier-console', value: '1' } as const;

export const EVERYONE = ['owner', 'developer', 'billing', 'viewer'] as const satisfies Role[];
export const BUILDERS = ['owner', 'developer'] as const satisfies Role[];
/** Those who may buy coins and set budgets. */
export const PAYERS = ['owner', 'billing'] as const satisfies Role[];
export const OWNERS = ['owner'] as const satisfies Role[];

export const Id = Type.String({ pattern: UUID_PATTERN });
export const OfAccount = Type.Object({ accountId: Id });

/** Problems of every operation. */
export const signedIn = ['sign_in_required', 'invalid_params', 'unavailable'] as const satisfies ProblemCode[];
/** Problems of reading an account: an account that the person does not belong to does not exist for them. */
export const reads = [...signedIn, 'rate_limited', 'not_found'] as const satisfies ProblemCode[];
/** Problems of changing an account. */
export const changes = [...reads, 'role_required', 'cross_site_request'] as const satisfies ProblemCode[];
export const changesFresh = [...changes, 'reauthentication_required'] as const satisfies ProblemCode[];
