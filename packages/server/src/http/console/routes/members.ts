import type { MemberList } from '@atelier/contract/console';
import {
  acceptInvitation,
  inviteMember,
  listInvitations,
  revokeInvitation,
} from '../../../domain/people/invitations.ts';
import { listMembers, setMemberRole } from '../../../domain/people/memberships.ts';
import type { ConsoleRoutes, ConsoleServices } from '../console-handler.ts';
import type { SignedIn } from '../identity.ts';

export const memberRoutes: ConsoleRoutes<
  | 'acceptInvitation'
  | 'listMembers'
  | 'setMemberRole'
  | 'removeMember'
  | 'listInvitations'
  | 'createInvitation'
  | 'revokeInvitation'
> = {
  acceptInvitation: (services, { signedIn, body }) =>
    acceptInvitation(services, { personId: signedIn.personId, token: body.token }),

  listMembers: (services, { accountId, signedIn }) => showMembers(services, { accountId, signedIn }),

  async setMemberRole(services, { accountId, signedIn, actor, params: { personId }, body }) {
    await setMemberRole(services, { accountId, personId, role: body.role, actor });
    return showMembers(services, { accountId, signedIn });
  },

  async removeMember(services, { accountId, signedIn, actor, params: { personId } }) {
    await setMemberRole(services, { accountId, personId, role: null, actor });
    return showMembers(services, { accountId, signedIn });
  },

  listInvitations: async (services, { accountId }) => ({
    items: (await listInvitations(services, accountId)).map(({ id, email, role, createdAt, expiresAt }) => ({
      id,
      email,
      role,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })),
  }),

  async createInvitation(services, { accountId, signedIn, actor, body }) {
    const { id, expiresAt } = await inviteMember(services, {
      accountId,
      email: body.email,
      role: body.role,
      invitedBy: signedIn.personId,
      actor,
    });
    return { id, expiresAt: expiresAt.toISOString() };
  },

  async revokeInvitation(services, { accountId, actor, params: { invitationId } }) {
    await revokeInvitation(services, { accountId, invitationId, actor });
    return { revokedId: invitationId };
  },
};

async function showMembers(
  services: ConsoleServices,
  { accountId, signedIn }: { accountId: string; signedIn: SignedIn },
): Promise<MemberList> {
  const members = await listMembers(services, accountId);
  return {
    items: members.map(({ personId, name, email, role, joinedAt }) => ({
      personId,
      name,
      email,
      role,
      joinedAt: joinedAt.toISOString(),
      isYou: personId === signedIn.personId,
    })),
  };
}
