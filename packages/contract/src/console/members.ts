import Type, { type Static } from 'typebox';
import { Closed, DateTime } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';
import { ROLES } from './session.ts';

const Id = Type.String({ pattern: UUID_PATTERN });
const RoleValue = Type.Enum(ROLES);

export const Member = Type.Object({
  personId: Id,
  name: Type.String(),
  email: Type.String(),
  role: RoleValue,
  joinedAt: DateTime(),
  isYou: Type.Boolean({ description: 'The person who asks.' }),
});
export type Member = Static<typeof Member>;

export const MemberList = Type.Object({
  items: Type.Array(Member, { description: 'Oldest first. A pair has at most 200 members and open invitations.' }),
});
export type MemberList = Static<typeof MemberList>;

export const SetMemberRoleBody = Type.Object({ role: RoleValue }, Closed);

export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: RoleValue,
  createdAt: DateTime(),
  expiresAt: DateTime(),
});
export type Invitation = Static<typeof Invitation>;

export const InvitationList = Type.Object({
  items: Type.Array(Invitation, { description: 'Those that can still be accepted, newest first.' }),
});

export const CreateInvitationBody = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 254 }), role: RoleValue },
  Closed,
);
export const SentInvitation = Type.Object({ id: Id, expiresAt: DateTime() });

export const AcceptInvitationBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200, description: 'From the link in the mail.' }) },
  Closed,
);
export const AcceptedInvitation = Type.Object({
  accountId: Type.String({ pattern: UUID_PATTERN, description: 'The live account of the pair.' }),
  role: RoleValue,
});
