import { randomBytes } from 'node:crypto';
import type { Role } from '@atelier/contract/console';
import { sha256 } from '../../platform/crypto.ts';
import { type Tx, withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Mailer } from '../../platform/mail.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import {
  findInvitationByToken,
  findOpenInvitations,
  type InvitationRow,
  insertInvitation,
  lockInvitationByToken,
  lockPlaces,
  markAccepted,
  type OpenInvitation,
  revokeEarlierInvitations,
  revokeInvitationRow,
} from './invitations.store.ts';
import { invitationMail } from './mails.ts';
import { MAX_MEMBERS, requirePair } from './memberships.ts';
import { findPerson, insertMembership, lockInvitedPerson, lockRole } from './people.store.ts';
import { requireWithin, type ThrottleRule } from './throttle.ts';

const HOUR = 3_600;
/** Mails of invitations: to one address, from one account and from all, and of one person or account to all addresses. */
const TO_ADDRESS_OF_ACCOUNT: ThrottleRule = { windowSeconds: HOUR, max: 3 };
const TO_ADDRESS: ThrottleRule = { windowSeconds: HOUR, max: 10 };
const OF_INVITER: ThrottleRule = { windowSeconds: HOUR, max: 50 };
const OF_ACCOUNT: ThrottleRule = { windowSeconds: HOUR, max: 100 };

const LIFE_HOURS = 7 * 24;
const TOKEN_BYTES = 32;
const MAX_EMAIL_CHARS = 254;
const EMAIL = /^[^\s@"<>(),:;\\]+@[^\s@"<>(),:;\\]+\.[^\s@"<>(),:;\\.]+$/;

export function isEmailAddress(text: string): boolean {
  return text.length <= MAX_EMAIL_CHARS && EMAIL.test(text);
}

export interface NewInvitation {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  /** The person who invites; null for the operator. */
  readonly invitedBy: string | null;
  readonly actor: string;
}

/** The token is in this result only, for the mail; its hash is stored. An earlier invitation of the same address ends. */
export function createInvitation(
  services: Pick<Services, 'db'>,
  invitation: NewInvitation,
): Promise<{ id: string; token: string; expiresAt: Date; accountName: string }> {
  const email = invitation.email.trim().toLowerCase();
  if (!isEmailAddress(email)) throw new Problem('invalid_params', 'The email address is not valid.');
  return withTx(services.db, async (tx) => {
    const { pairId, name } = await requirePair(tx, invitation.accountId);
    await requireOwner(tx, invitation);
    await revokeEarlierInvitations(tx, { pairId, email });
    const { places, isMember } = await lockPlaces(tx, { pairId, email });
    if (isMember) throw new Problem('invalid_params', 'This person is already a member.');
    if (places >= MAX_MEMBERS) {
      throw new Problem('invalid_params', `An account has at most ${MAX_MEMBERS} members and open invitations.`);
    }
    const id = newId();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = await insertInvitation(tx, {
      id,
      pairId,
      email,
      role: invitation.role,
      tokenHash: sha256(token),
      invitedBy: invitation.invitedBy,
      lifeHours: LIFE_HOURS,
    });
    await recordAudit(tx, {
      actor: invitation.actor,
      action: 'invitation.created',
      accountId: invitation.accountId,
      detail: { invitationId: id, role: invitation.role },
    });
    return { id, token, expiresAt, accountName: name };
  });
}

/** Whoever stops being an owner meanwhile invites nobody. */
async function requireOwner(tx: Tx, { invitedBy: personId, accountId }: NewInvitation): Promise<void> {
  if (personId === null || (await lockRole(tx, { personId, accountId })) === 'owner') return;
  throw new Problem('role_required', 'Only owners invite people.');
}

/** An invitation is a mail to someone who did not ask for it. */
async function limitInvitations(services: Pick<Services, 'db'>, invitation: NewInvitation): Promise<void> {
  const { accountId, invitedBy } = invitation;
  const email = invitation.email.trim().toLowerCase();
  const { pairId } = await requirePair(services.db, accountId);
  if (invitedBy !== null) await requireWithin(services, `invitations of person ${invitedBy}`, OF_INVITER);
  await requireWithin(services, `invitations of pair ${pairId}`, OF_ACCOUNT);
  await requireWithin(services, `invitations of pair ${pairId} to ${email}`, TO_ADDRESS_OF_ACCOUNT);
  await requireWithin(services, `invitations to ${email}`, TO_ADDRESS);
}

/** Creates an invitation and mails its link. */
export async function inviteMember(
  services: Pick<Services, 'db'> & { mail: Pick<Mailer, 'sendSoon'>; consoleUrl: string },
  invitation: NewInvitation,
): Promise<{ id: string; expiresAt: Date }> {
  await limitInvitations(services, invitation);
  const { id, token, expiresAt, accountName } = await createInvitation(services, invitation);
  const url = `${services.consoleUrl}/sign-up?${new URLSearchParams({ invitation: token })}`;
  services.mail.sendSoon({
    to: invitation.email.trim().toLowerCase(),
    ...invitationMail({ url, accountName, role: invitation.role }),
  });
  return { id, expiresAt };
}

/** The invitations that can still be accepted, the newest first. */
export async function listInvitations(services: Pick<Services, 'db'>, accountId: string): Promise<InvitationRow[]> {
  const { pairId } = await requirePair(services.db, accountId);
  return findOpenInvitations(services.db, { pairId, limit: MAX_MEMBERS });
}

export function revokeInvitation(
  services: Pick<Services, 'db'>,
  { accountId, invitationId, actor }: { accountId: string; invitationId: string; actor: string },
): Promise<void> {
  return withTx(services.db, async (tx) => {
    const { pairId } = await requirePair(tx, accountId);
    if (!(await revokeInvitationRow(tx, { id: invitationId, pairId }))) {
      throw new Problem('not_found', 'There is no such open invitation.');
    }
    await recordAudit(tx, { actor, action: 'invitation.revoked', accountId, detail: { invitationId } });
  });
}

/** The open invitation of a token, or null: unknown, used, revoked and expired tokens look alike. */
export function findInvitation(services: Pick<Services, 'db'>, token: string): Promise<OpenInvitation | null> {
  return findInvitationByToken(services.db, sha256(token));
}

/** Accepts an invitation, once. It was sent to one address, and only the person with that address can accept it. */
export function acceptInvitation(
  services: Pick<Services, 'db'>,
  { personId, token }: { personId: string; token: string },
): Promise<{ accountId: string; role: Role }> {
  return accept(services, token, async (tx) => findPerson(tx, personId));
}

/**
 * Accepts an invitation after a sign-up with its token, for the person whom the sign-up created, or for one who had proved the address
 * before. Anyone else with the address may be a stranger who signed up with it at the same time.
 */
export function acceptInvitationOfSignUp(
  services: Pick<Services, 'db'>,
  { personId, token }: { personId: string; token: string },
): Promise<{ accountId: string; role: Role }> {
  return accept(services, token, (tx, { email }) => lockInvitedPerson(tx, { email, personId }));
}

function accept(
  services: Pick<Services, 'db'>,
  token: string,
  find: (tx: Tx, invitation: OpenInvitation) => Promise<{ id: string; email: string } | null>,
): Promise<{ accountId: string; role: Role }> {
  return withTx(services.db, async (tx) => {
    const invitation = await lockInvitationByToken(tx, sha256(token));
    const person = invitation === null ? null : await find(tx, invitation);
    if (invitation === null || person === null) {
      throw new Problem('not_found', 'The invitation does not exist, has expired or was already used.');
    }
    if (invitation.email !== person.email) {
      throw new Problem('not_found', 'The invitation was sent to another email address. Sign in with that address.');
    }
    const { id, pairId, accountId, role } = invitation;
    const personId = person.id;
    await markAccepted(tx, { id, personId });
    if (await insertMembership(tx, { personId, pairId, role })) {
      await recordAudit(tx, {
        actor: `person ${personId}`,
        action: 'member.added',
        accountId,
        detail: { personId, role, invitationId: id },
      });
    }
    return { accountId, role };
  });
}
