import type { Session } from '@atelier/contract/console';
import { renameAccount } from '../../../domain/accounts/rename-account.ts';
import { listMemberships } from '../../../domain/people/memberships.ts';
import type { ConsoleRoutes } from '../console-handler.ts';
import type { SignedIn } from '../identity.ts';
import { freshUntil } from '../require-session.ts';

export const sessionRoutes: ConsoleRoutes<'getSession' | 'getSignIn' | 'updateAccount'> = {
  getSession: async (services, { signedIn }) =>
    describeSession(signedIn, {
      memberships: await listMemberships(services, signedIn.personId),
      apiUrl: services.publicUrl,
    }),

  getSignIn: async (services) => services.signInOptions,

  updateAccount: (services, { accountId, actor, body }) =>
    renameAccount(services, { accountId, name: body.name, actor }),
};

export function describeSession(signedIn: SignedIn, facts: Pick<Session, 'memberships' | 'apiUrl'>): Session {
  return {
    person: { id: signedIn.personId, email: signedIn.email, name: signedIn.name },
    ...facts,
    signedInAt: signedIn.signedInAt.toISOString(),
    freshUntil: freshUntil(signedIn).toISOString(),
  };
}
