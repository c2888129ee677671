import { operations, SCOPES, UUID_PATTERN } from '@atelier/contract';
import { type Role, SCOPE_ROLES } from '@atelier/contract/console';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { findSessionCaller } from '../../domain/accounts/find-session-caller.ts';
import { findMembership } from '../../domain/people/memberships.ts';
import type { Services } from '../../domain/services.ts';
import { Problem } from '../../platform/problem.ts';
import { type Admit, applyRateLimit } from '../auth/admit.ts';
import type { RateLimiter } from '../auth/rate-limit.ts';
import type { Identity, SignedIn } from './identity.ts';
import { refuseCrossSite } from './refuse-cross-site.ts';
import { requireFresh, requireSession } from './require-session.ts';

export interface SessionContext {
  readonly services: Pick<Services, 'db' | 'clock'>;
  readonly identity: Identity;
  readonly limiter: RateLimiter;
  /** Public origin of the console. */
  readonly origin: string;
}

export interface AdmittedMember {
  readonly signedIn: SignedIn;
  readonly role: Role;
  readonly caller: Caller;
}

/** What an operation asks of the person who calls it. */
export interface Requirement {
  readonly roles: readonly Role[];
  readonly fresh?: boolean;
  /** The body is a file rather than JSON. */
  readonly takesFiles?: boolean;
}

/** Who may call at all: someone signed in, from a page of the console. */
export async function admitPerson(
  context: SessionContext,
  request: FastifyRequest,
  reply: FastifyReply,
  takesFiles = false,
): Promise<SignedIn> {
  reply.header('cache-control', 'no-store');
  refuseCrossSite(request, { origin: context.origin, takesFiles });
  return requireSession(context.identity, request.headers);
}

/** Requests per minute of one person outside an account. */
const PERSON_RATE_LIMIT = 300;

/** A person outside an account, within their rate limit. */
export async function admitPersonWithin(
  context: SessionContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn> {
  const signedIn = await admitPerson(context, request, reply);
  await applyRateLimit(context.limiter, personCaller(signedIn), reply);
  return signedIn;
}

/** The rate window of a person: no account has a person's id. */
function personCaller({ personId }: SignedIn): Caller {
  return {
    accountId: personId,
    mode: 'test',
    locked: false,
    keyId: null,
    scopes: [],
    channel: 'web',
    keyRateLimit: PERSON_RATE_LIMIT,
    accountRateLimit: PERSON_RATE_LIMIT,
    requestCap: null,
  };
}

/** Session, membership, rate limit, role, in this order. To others an account does not exist: they get 404, never 403. */
export async function admitMember(
  context: SessionContext,
  request: FastifyRequest,
  reply: FastifyReply,
  needs: Requirement,
): Promise<AdmittedMember> {
  const signedIn = await admitPerson(context, request, reply, needs.takesFiles);
  const { accountId } = request.params as { accountId: string };
  const role = await findRole(context, { personId: signedIn.personId, accountId });
  const scopes = SCOPES.filter((scope) => allows(SCOPE_ROLES[scope], role));
  const found = await findSessionCaller(context.services, { accountId, scopes, channel: 'web' });
  if (found === null) throw noSuchAccount();
  const caller = { ...found, personId: signedIn.personId };
  request.caller = caller;
  await applyRateLimit(context.limiter, caller, reply);
  if (!allows(needs.roles, role)) {
    throw new Problem('role_required', `Your role ${role} does not allow this. Allowed: ${needs.roles.join(', ')}.`);
  }
  if (needs.fresh === true) requireFresh(context.services.clock, signedIn);
  return { signedIn, role, caller };
}

const UUID = new RegExp(UUID_PATTERN);

async function findRole(context: SessionContext, key: { personId: string; accountId: string }): Promise<Role> {
  const found = UUID.test(key.accountId) ? await findMembership(context.services, key) : null;
  if (found === null) throw noSuchAccount();
  return found.role;
}

function noSuchAccount(): Problem {
  return new Problem('not_found', 'There is no such account.');
}

function allows(roles: readonly Role[], role: Role): boolean {
  return roles.includes(role);
}

/** Admits by session to the operations of the public API: the scope of an operation tells the roles. */
export function createSessionAdmission(context: SessionContext): Admit {
  return async (request, reply, id) => {
    const row = operations[id];
    const roles: readonly Role[] = row.scope === null ? SCOPE_ROLES.read : SCOPE_ROLES[row.scope];
    const takesFiles = 'multipart' in row || 'raw' in row;
    return (await admitMember(context, request, reply, { roles, takesFiles })).caller;
  };
}
