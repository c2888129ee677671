import { randomBytes } from 'node:crypto';
import { betterAuth } from 'better-auth';
import { getAdapter } from 'better-auth/db/adapter';
import { forgetUnverifiedPerson } from '../domain/people/manage-people.ts';
import { extendSession } from '../domain/people/sessions.ts';
import type { Identity } from '../http/console/identity.ts';
import type { Db } from '../platform/db.ts';
import { errorFieldsWithoutMessage } from '../platform/log.ts';
import { Problem } from '../platform/problem.ts';
import { createAuthOptions, resetLink } from './auth-options.ts';
import { createAddressConfirmation } from './confirm-address.ts';
import { createPasswordHasher, MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS } from './hash-password.ts';
import { hashSessionTokens } from './hash-session-tokens.ts';
import type { IdentityOptions } from './identity-options.ts';
import { createServeAuth, DESK_ENDPOINTS } from './serve-auth.ts';

/** A session that was used more recently is not extended. */
const EXTEND_AFTER_MS = 60_000;
const FIRST_LINK_HOURS = 24;
const LINK_HOURS = 1;
const TOKEN_BYTES = 24;

/** Identity as the operator's commands use it. */
export interface PeopleDesk extends Identity {
  /** Creates a person whose address counts as verified. Null if the address has a verified person already. */
  createPerson(person: { email: string; name: string; password: string | null }): Promise<string | null>;
  /** A link to choose a password. It works once. */
  createPasswordLink(personId: string): Promise<string>;
}

export interface NewIdentity extends Omit<IdentityOptions, 'createConfirmLink' | 'passwords'> {
  readonly passwordCostBits: number;
  /** The connections of the library. Its own, so that many sign-ins cannot take those of other requests. */
  readonly authDb: Db;
}

export async function createIdentity({ authDb, passwordCostBits, ...given }: NewIdentity): Promise<PeopleDesk> {
  const { services } = given;
  const passwords = createPasswordHasher({ costBits: passwordCostBits });
  const addresses = createAddressConfirmation({
    services,
    consoleUrl: given.consoleUrl,
    createPasswordLink: (personId) => createPasswordLink(personId, LINK_HOURS),
  });
  const options = createAuthOptions({ ...given, passwords, createConfirmLink: addresses.createLink });
  const adapter = hashSessionTokens(await getAdapter({ ...options, database: authDb.pool }), given.listener);
  const auth = betterAuth({ ...options, database: () => adapter });
  const { internalAdapter, socialProviders } = await auth.$context;
  if (given.oidc !== null && socialProviders.length === 0) {
    services.log.error('OpenID Connect unavailable until the next start: the provider did not answer', {});
  }

  const createPasswordLink = async (personId: string, lifeHours: number): Promise<string> => {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${token}`,
      value: personId,
      expiresAt: new Date(Date.now() + lifeHours * 3_600_000),
    });
    return resetLink(given.consoleUrl, token);
  };

  const readSession: Identity['readSession'] = async (headers) => {
    const found = await auth.api.getSession({ headers, query: { disableRefresh: true } }).catch((error: unknown) => {
      services.log.warn('reading a session failed', errorFieldsWithoutMessage(error));
      throw new Problem('unavailable', 'Sign-in is temporarily unavailable. Try again.');
    });
    if (found === null) return null;
    const { session, user } = found;
    if (Date.now() - session.updatedAt.getTime() > EXTEND_AFTER_MS) {
      await extendSession(services, { id: session.id, listener: given.listener });
    }
    return {
      personId: user.id,
      sessionId: session.id,
      email: user.email,
      name: user.name,
      signedInAt: session.createdAt,
    };
  };

  return {
    readSession,
    handle: createServeAuth({
      services,
      consoleUrl: given.consoleUrl,
      endpoints: given.listener === 'desk' ? DESK_ENDPOINTS : null,
      answer: (request) => auth.handler(request),
      readSession,
      addresses,
    }),
    async createPerson({ email, name, password }) {
      if (password !== null) checkPassword(password);
      await forgetUnverifiedPerson(services, email);
      if ((await internalAdapter.findUserByEmail(email)) !== null) return null;
      const person = await internalAdapter.createUser(
        { email, name, emailVerified: true },
        { method: 'email-password' },
      );
      if (password !== null) {
        await internalAdapter.linkAccount({
          userId: person.id,
          providerId: 'credential',
          accountId: person.id,
          password: await passwords.hash(password),
        });
      }
      return person.id;
    },
    createPasswordLink: (personId) => createPasswordLink(personId, FIRST_LINK_HOURS),
  };
}

function checkPassword(password: string): void {
  if (password.length >= MIN_PASSWORD_CHARS && password.length <= MAX_PASSWORD_CHARS) return;
  throw new Problem(
    'invalid_params',
    `The password must have ${MIN_PASSWORD_CHARS} to ${MAX_PASSWORD_CHARS} characters.`,
  );
}
