import type { Role } from '@atelier/contract/console';
import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

export interface OpenInvitation extends InvitationRow {
  readonly pairId: string;
  readonly accountId: string;
  readonly accountName: string;
}

const INSERT_INVITATION = statement(
  'insert_invitation',
  `INSERT INTO invitation (id, pair_id, email, role, token_hash, invited_by, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7)) RETURNING expires_at AS "expiresAt"`,
);

export async function insertInvitation(
  tx: Tx,
  invitation: {
    id: string;
    pairId: string;
    email: string;
    role: Role;
    tokenHash: Buffer;
    invitedBy: string | null;
    lifeHours: number;
  },
): Promise<Date> {
  const [row] = await tx.query<{ expiresAt: Date }>(INSERT_INVITATION, [
    invitation.id,
    invitation.pairId,
    invitation.email,
    invitation.role,
    invitation.tokenHash,
    invitation.invitedBy,
    invitation.lifeHours,
  ]);
  return row!.expiresAt;
}

const LOCK_PAIR = statement(
  'lock_pair',
  `SELECT id FROM account WHERE owner_id = $1 AND mode = 'live' FOR NO KEY UPDATE`,
);
const IS_MEMBER = statement(
  'is_member',
  'SELECT 1 FROM membership m JOIN person p ON p.id = m.person_id WHERE m.pair_id = $1 AND p.email = $2',
);
const COUNT_PLACES = statement(
  'count_places',
  `SELECT (SELECT count(*) FROM membership WHERE pair_id = $1) + (SELECT count(*) FROM invitation
     WHERE pair_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()) AS places`,
);

/** Locks the pair, so that concurrent invitations cannot exceed the limit together. */
export async function lockPlaces(
  tx: Tx,
  { pairId, email }: { pairId: string; email: string },
): Promise<{ places: number; isMember: boolean }> {
  await tx.query(LOCK_PAIR, [pairId]);
  const member = await tx.query(IS_MEMBER, [pairId, email]);
  const [row] = await tx.query<{ places: number }>(COUNT_PLACES, [pairId]);
  return { places: row!.places, isMember: member.length > 0 };
}

const REVOKE_EARLIER = statement(
  'revoke_earlier_invitations',
  `UPDATE invitation SET revoked_at = now() WHERE pair_id = $1 AND email = $2 AND accepted_at IS NULL AND revoked_at IS NULL`,
);

export async function revokeEarlierInvitations(tx: Tx, { pairId, email }: { pairId: string; email: string }) {
  await tx.query(REVOKE_EARLIER, [pairId, email]);
}

const REVOKE_INVITATION = statement(
  'revoke_invitation',
  `UPDATE invitation SET revoked_at = now()
   WHERE id = $1 AND pair_id = $2 AND accepted_at IS NULL AND revoked_at IS NULL RETURNING id`,
);

export async function revokeInvitationRow(tx: Tx, { id, pairId }: { id: string; pairId: string }): Promise<boolean> {
  return (await tx.query(REVOKE_INVITATION, [id, pairId])).length > 0;
}

const REVOKE_OF_INVITER = statement(
  'revoke_invitations_of',
  `UPDATE invitation SET revoked_at = now()
   WHERE invited_by = $1 AND pair_id = coalesce($2, pair_id) AND accepted_at IS NULL AND revoked_at IS NULL`,
);

/** Of one pair, or of all that the person invited to. */
export async function revokeInvitationsOf(tx: Tx, of: { personId: string; pairId: string | null }): Promise<void> {
  await tx.query(REVOKE_OF_INVITER, [of.personId, of.pairId]);
}

const OPEN_INVITATIONS = statement(
  'open_invitations',
  `SELECT id, email, role, expires_at AS "expiresAt", created_at AS "createdAt" FROM invitation
   WHERE pair_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > now()
   ORDER BY created_at DESC LIMIT $2`,
);

export function findOpenInvitations(
  db: Db,
  { pairId, limit }: { pairId: string; limit: number },
): Promise<InvitationRow[]> {
  return db.query<InvitationRow>(OPEN_INVITATIONS, [pairId, limit]);
}

const INVITATION_BY_TOKEN = `SELECT i.id, i.email, i.role, i.expires_at AS "expiresAt", i.created_at AS "createdAt",
     i.pair_id AS "pairId", a.id AS "accountId", a.name AS "accountName"
   FROM invitation i JOIN account a ON a.owner_id = i.pair_id AND a.mode = 'live'
   WHERE i.token_hash = $1 AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now()`;
const FIND_INVITATION = statement('find_invitation', INVITATION_BY_TOKEN);
const LOCK_INVITATION = statement('lock_invitation', `${INVITATION_BY_TOKEN} FOR UPDATE OF i`);

export async function findInvitationByToken(db: Db, tokenHash: Buffer): Promise<OpenInvitation | null> {
  const [row] = await db.query<OpenInvitation>(FIND_INVITATION, [tokenHash]);
  return row ?? null;
}

/** A concurrent call waits, and then finds the invitation accepted. */
export async function lockInvitationByToken(tx: Tx, tokenHash: Buffer): Promise<OpenInvitation | null> {
  const [row] = await tx.query<OpenInvitation>(LOCK_INVITATION, [tokenHash]);
  return row ?? null;
}

const ACCEPT_INVITATION = statement('accept_invitation', 'UPDATE invitation SET accepted_at = now() WHERE id = $1');
const MARK_JOINED = statement(
  'mark_joined',
  'UPDATE person SET set_up_at = coalesce(set_up_at, now()), email_verified = true WHERE id = $1',
);

/** The invitation was mailed to the person's address, so using it verifies the address. */
export async function markAccepted(tx: Tx, { id, personId }: { id: string; personId: string }): Promise<void> {
  await tx.query(ACCEPT_INVITATION, [id]);
  await tx.query(MARK_JOINED, [personId]);
}
