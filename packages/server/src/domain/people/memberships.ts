import { consoleOperations, type Role } from '@atelier/contract/console';
import { type Db, type Tx, withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { revokeInvitationsOf } from './invitations.store.ts';
import type { Membership, PairMembership } from './membership.ts';
import {
  findMembers,
  findMembershipOfAccount,
  findMemberships,
  findPair,
  findRecipients,
  lockMembers,
  lockRole,
  type MemberRow,
  putRole,
  type RecipientRow,
} from './people.store.ts';

const MAX_MEMBERSHIPS = 200;
/** Members and open invitations of one pair. */
export const MAX_MEMBERS = 200;

/** The pairs of accounts that a person belongs to, the oldest membership first. */
export function listMemberships(services: Pick<Services, 'db'>, personId: string): Promise<PairMembership[]> {
  return findMemberships(services.db, { personId, limit: MAX_MEMBERSHIPS });
}

/** Null if there is no such account, or the person does not belong to it. */
export function findMembership(
  services: Pick<Services, 'db'>,
  { personId, accountId }: { personId: string; accountId: string },
): Promise<Membership | null> {
  return findMembershipOfAccount(services.db, { personId, accountId });
}

/** The people who belong to the pair of an account. */
export async function listMembers(services: Pick<Services, 'db'>, accountId: string): Promise<MemberRow[]> {
  const { pairId } = await requirePair(services.db, accountId);
  return findMembers(services.db, { pairId, limit: MAX_MEMBERS });
}

const PAYERS: readonly Role[] = ['owner', 'billing'];
const OWNERS: readonly Role[] = ['owner'];

/** Owners and members with the role billing, with a verified address: those who get mails about money. */
export function listPayers(tx: Tx, accountId: string): Promise<RecipientRow[]> {
  return findRecipients(tx, { accountId, personId: null, roles: PAYERS, limit: MAX_MEMBERS });
}

/** Null if the person is none of them. */
export async function findPayer(db: Db, of: { accountId: string; personId: string }): Promise<RecipientRow | null> {
  const [payer] = await findRecipients(db, { ...of, roles: PAYERS, limit: 1 });
  return payer ?? null;
}

/** Owners with a verified address. */
export function listOwners(tx: Tx, accountId: string): Promise<RecipientRow[]> {
  return findRecipients(tx, { accountId, personId: null, roles: OWNERS, limit: MAX_MEMBERS });
}

/** Null if the person is none of them. */
export async function findOwner(db: Db, of: { accountId: string; personId: string }): Promise<RecipientRow | null> {
  const [owner] = await findRecipients(db, { ...of, roles: OWNERS, limit: 1 });
  return owner ?? null;
}

const MAY_CREATE_KEYS: readonly Role[] = consoleOperations.createKey.roles;

/** Whether the person may create keys of the account, until the transaction ends. */
export async function mayCreateKeys(tx: Tx, of: { personId: string; accountId: string }): Promise<boolean> {
  const role = await lockRole(tx, of);
  return role !== null && MAY_CREATE_KEYS.includes(role);
}

interface MemberChange {
  readonly accountId: string;
  readonly personId: string;
  /** Null removes the person. */
  readonly role: Role | null;
  readonly actor: string;
}

/** Changes the role of a member, or removes them. A pair keeps at least one owner. The invitations of an owner end with the role. */
export function setMemberRole(services: Pick<Services, 'db'>, change: MemberChange): Promise<void> {
  return withTx(services.db, async (tx) => {
    const { pairId } = await requirePair(tx, change.accountId);
    const members = await lockMembers(tx, pairId);
    const member = members.find(({ personId }) => personId === change.personId);
    if (member === undefined) throw new Problem('not_found', 'There is no such member.');
    if (member.role === change.role) return;
    const owners = members.filter(({ role }) => role === 'owner').length;
    if (member.role === 'owner' && owners === 1) {
      throw new Problem('invalid_params', 'This is the only owner. Make another member an owner first.');
    }
    await putRole(tx, { personId: change.personId, pairId, role: change.role });
    if (change.role !== 'owner') await revokeInvitationsOf(tx, { personId: change.personId, pairId });
    await recordAudit(tx, {
      actor: change.actor,
      action: change.role === null ? 'member.removed' : 'member.role_changed',
      accountId: change.accountId,
      detail: { personId: change.personId, from: member.role, to: change.role },
    });
  });
}

export async function requirePair(db: Services['db'] | Tx, accountId: string) {
  const pair = await findPair(db, accountId);
  if (pair === null) throw new Problem('not_found', 'There is no such account.');
  return pair;
}
