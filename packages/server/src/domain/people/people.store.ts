import type { Role } from '@atelier/contract/console';
import { type Db, statement, type Tx } from '../../platform/db.ts';
import type { AccountMode } from '../accounts/caller.ts';
import type { Membership, PairMembership } from './membership.ts';

export interface PersonRow {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
}

const PERSON = statement(
  'person',
  'SELECT id, name, email, email_verified AS "emailVerified" FROM person WHERE id = $1',
);

export async function findPerson(db: Db | Tx, personId: string): Promise<PersonRow | null> {
  const [row] = await db.query<PersonRow>(PERSON, [personId]);
  return row ?? null;
}

const MARK_SET_UP = statement(
  'mark_set_up',
  `UPDATE person SET set_up_at = now() WHERE id = $1 AND email_verified AND set_up_at IS NULL RETURNING name, email`,
);

/** The person, if this call set them up. A concurrent call waits for this one and returns null. */
export async function markSetUp(tx: Tx, personId: string): Promise<{ name: string; email: string } | null> {
  const [row] = await tx.query<{ name: string; email: string }>(MARK_SET_UP, [personId]);
  return row ?? null;
}

const INSERT_MEMBERSHIP = statement(
  'insert_membership',
  'INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING person_id',
);

/** False if the person belongs to the pair already. */
export async function insertMembership(
  tx: Tx,
  membership: { personId: string; pairId: string; role: Role },
): Promise<boolean> {
  return (await tx.query(INSERT_MEMBERSHIP, [membership.personId, membership.pairId, membership.role])).length > 0;
}

const MEMBERSHIPS = statement(
  'memberships_of_person',
  `SELECT m.pair_id AS "pairId", live.name, m.role, live.id AS "liveId", test.id AS "testId"
   FROM membership m
   JOIN account live ON live.owner_id = m.pair_id AND live.mode = 'live'
   JOIN account test ON test.owner_id = m.pair_id AND test.mode = 'test'
   WHERE m.person_id = $1 ORDER BY m.created_at, m.pair_id LIMIT $2`,
);

export async function findMemberships(
  db: Db,
  { personId, limit }: { personId: string; limit: number },
): Promise<PairMembership[]> {
  const rows = await db.query<Omit<PairMembership, 'accountIds'> & { liveId: string; testId: string }>(MEMBERSHIPS, [
    personId,
    limit,
  ]);
  return rows.map(({ liveId, testId, ...rest }) => ({ ...rest, accountIds: { live: liveId, test: testId } }));
}

const MEMBERSHIP = statement(
  'membership_of_account',
  `SELECT m.role, a.id AS "accountId", a.mode, m.pair_id AS "pairId"
   FROM account a JOIN membership m ON m.pair_id = a.owner_id WHERE a.id = $2 AND m.person_id = $1`,
);

export async function findMembershipOfAccount(
  db: Db,
  { personId, accountId }: { personId: string; accountId: string },
): Promise<Membership | null> {
  const [row] = await db.query<Membership>(MEMBERSHIP, [personId, accountId]);
  return row ?? null;
}

const LOCK_MEMBERSHIP = statement(
  'lock_membership',
  `SELECT m.role FROM account a JOIN membership m ON m.pair_id = a.owner_id
   WHERE a.id = $2 AND m.person_id = $1 FOR SHARE OF m`,
);

/** The role, which stays until the transaction ends. Null if the person does not belong to the account. */
export async function lockRole(tx: Tx, of: { personId: string; accountId: string }): Promise<Role | null> {
  const [row] = await tx.query<{ role: Role }>(LOCK_MEMBERSHIP, [of.personId, of.accountId]);
  return row?.role ?? null;
}

const PAIR = statement('pair_of_account', 'SELECT owner_id AS "pairId", mode, name FROM account WHERE id = $1');

export async function findPair(
  db: Db | Tx,
  accountId: string,
): Promise<{ pairId: string; mode: AccountMode; name: string } | null> {
  const [row] = await db.query<{ pairId: string; mode: AccountMode; name: string }>(PAIR, [accountId]);
  return row ?? null;
}

export interface MemberRow {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
}

const MEMBERS = statement(
  'members_of_pair',
  `SELECT m.person_id AS "personId", p.name, p.email, m.role, m.created_at AS "joinedAt"
   FROM membership m JOIN person p ON p.id = m.person_id WHERE m.pair_id = $1 ORDER BY m.created_at, m.person_id LIMIT $2`,
);

export function findMembers(db: Db, { pairId, limit }: { pairId: string; limit: number }): Promise<MemberRow[]> {
  return db.query<MemberRow>(MEMBERS, [pairId, limit]);
}

export interface RecipientRow {
  readonly personId: string;
  readonly email: string;
}

const RECIPIENTS = statement(
  'recipients_of_account',
  `SELECT p.id AS "personId", p.email FROM account a JOIN membership m ON m.pair_id = a.owner_id AND m.role = ANY ($4)
   JOIN person p ON p.id = m.person_id AND p.email_verified
   WHERE a.id = $1 AND p.id = coalesce($2, p.id) ORDER BY p.id LIMIT $3`,
);

/** Members with one of these roles and a verified address: all of them, or one person. */
export function findRecipients(
  db: Db | Tx,
  query: { accountId: string; personId: string | null; roles: readonly Role[]; limit: number },
): Promise<RecipientRow[]> {
  return db.query<RecipientRow>(RECIPIENTS, [query.accountId, query.personId, query.limit, query.roles]);
}

const LOCK_MEMBERS = statement(
  'lock_members',
  'SELECT person_id AS "personId", role FROM membership WHERE pair_id = $1 ORDER BY person_id FOR UPDATE',
);

export function lockMembers(tx: Tx, pairId: string): Promise<{ personId: string; role: Role }[]> {
  return tx.query<{ personId: string; role: Role }>(LOCK_MEMBERS, [pairId]);
}

const PUT_ROLE = statement('put_role', 'UPDATE membership SET role = $3 WHERE person_id = $1 AND pair_id = $2');
const DELETE_MEMBERSHIP = statement(
  'delete_membership',
  'DELETE FROM membership WHERE person_id = $1 AND pair_id = $2',
);

/** Null removes the person from the pair. */
export async function putRole(tx: Tx, member: { personId: string; pairId: string; role: Role | null }): Promise<void> {
  if (member.role === null) await tx.query(DELETE_MEMBERSHIP, [member.personId, member.pairId]);
  else await tx.query(PUT_ROLE, [member.personId, member.pairId, member.role]);
}

const DELETE_OF_PAIR = [
  statement(
    'delete_memberships_of_pair',
    'DELETE FROM membership WHERE pair_id = $1 RETURNING person_id AS "personId", role',
  ),
  statement('delete_invitations_of_pair', 'DELETE FROM invitation WHERE pair_id = $1'),
] as const;

/** Ends the memberships and invitations of a pair. Returns the members. */
export async function deletePeopleOfPair(tx: Tx, pairId: string): Promise<{ personId: string; role: Role }[]> {
  const [memberships, invitations] = DELETE_OF_PAIR;
  await tx.query(invitations, [pairId]);
  return tx.query<{ personId: string; role: Role }>(memberships, [pairId]);
}

const OTHER_OF_PAIR = statement(
  'other_account_of_pair',
  'SELECT id FROM account WHERE owner_id = $1 AND id <> $2 AND erased_at IS NULL',
);

/** The other account of the pair, unless it is erased. */
export async function findOtherOfPair(
  tx: Tx,
  { pairId, accountId }: { pairId: string; accountId: string },
): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(OTHER_OF_PAIR, [pairId, accountId]);
  return row?.id ?? null;
}

export interface PersonListRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly verified: boolean;
  readonly twoFactor: boolean;
  readonly memberships: number;
  readonly createdAt: Date;
}

const PEOPLE = statement(
  'people',
  `SELECT p.id, p.email, p.name, p.email_verified AS verified, p.two_factor_enabled AS "twoFactor",
     (SELECT count(*) FROM membership m WHERE m.person_id = p.id) AS memberships, p.created_at AS "createdAt"
   FROM person p ORDER BY p.id DESC LIMIT $1`,
);

export function findPeople(db: Db, limit: number): Promise<PersonListRow[]> {
  return db.query<PersonListRow>(PEOPLE, [limit]);
}

const PERSON_BY_EMAIL = statement('person_by_email', 'SELECT id, email FROM person WHERE email = $1');

export async function findPersonByEmail(db: Db | Tx, email: string): Promise<{ id: string; email: string } | null> {
  const [row] = await db.query<{ id: string; email: string }>(PERSON_BY_EMAIL, [email]);
  return row ?? null;
}

const INVITED_PERSON = statement(
  'invited_person',
  'SELECT id, email FROM person WHERE email = $1 AND (id = $2 OR email_verified) FOR UPDATE',
);

/** The person with this address if they have proved it, or if it is this person. */
export async function lockInvitedPerson(
  tx: Tx,
  { email, personId }: { email: string; personId: string },
): Promise<{ id: string; email: string } | null> {
  const [row] = await tx.query<{ id: string; email: string }>(INVITED_PERSON, [email, personId]);
  return row ?? null;
}

const SOLE_OWNERSHIPS = statement(
  'sole_ownerships',
  `SELECT a.id AS "accountId" FROM membership mine JOIN account a ON a.owner_id = mine.pair_id AND a.mode = 'live'
   WHERE mine.person_id = $1 AND mine.role = 'owner'
     AND EXISTS (SELECT 1 FROM membership other WHERE other.pair_id = mine.pair_id AND other.person_id <> $1)
     AND NOT EXISTS (SELECT 1 FROM membership other
       WHERE other.pair_id = mine.pair_id AND other.person_id <> $1 AND other.role = 'owner')`,
);

/** The accounts that have other members, of whom none is an owner. */
export function findSoleOwnerships(tx: Tx, personId: string): Promise<{ accountId: string }[]> {
  return tx.query<{ accountId: string }>(SOLE_OWNERSHIPS, [personId]);
}

const DELETE_PERSON = statement('delete_person', 'DELETE FROM person WHERE id = $1 RETURNING id');

export async function deletePersonRow(tx: Tx, personId: string): Promise<boolean> {
  return (await tx.query(DELETE_PERSON, [personId])).length > 0;
}

const DELETE_UNVERIFIED = statement('delete_unverified', 'DELETE FROM person WHERE email = $1 AND NOT email_verified');

export async function deleteUnverifiedRow(db: Db, email: string): Promise<void> {
  await db.query(DELETE_UNVERIFIED, [email]);
}
