import { renameAccount } from '../../../domain/accounts/rename-account.ts';
import { listMemberships } from '../../../domain/people/memberships.ts';
import type { ConsoleRoutes } from '../console-handler.ts';
import { freshUntil } from '../require-session.ts';

export const sessionRoutes: ConsoleRoutes<'getSession' | 'getSignIn' | 'updateAccount'> = {
  getSession: async (services, { signedIn }) => ({
    person: { id: signedIn.personId, email: signedIn.email, name: signedIn.name },
    memberships: await listMemberships(services, signedIn.personId),
    signedInAt: signedIn.signedInAt.toISOString(),
    freshUntil: freshUntil(signedIn).toISOString(),
    apiUrl: services.publicUrl,
  }),

  getSignIn: async (services) => services.signInOptions,

  updateAccount: (services, { accountId, actor, body }) =>
    renameAccount(services, { accountId, name: body.name, actor }),
};
