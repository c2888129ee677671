import type { Role } from '@atelier/contract/console';
import { type Db, withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { revokeInvitationsOf } from './invitations.store.ts';
import { requirePair } from './memberships.ts';
import {
  deletePersonRow,
  deleteUnverifiedRow,
  findPeople,
  findPersonByEmail,
  findSoleOwnerships,
  insertMembership,
  markSetUp,
  type PersonListRow,
} from './people.store.ts';

/** The newest people, for the operator. */
export function listPeople(services: Pick<Services, 'db'>, limit: number): Promise<PersonListRow[]> {
  return findPeople(services.db, limit);
}

export async function requirePerson(services: { db: Db }, email: string): Promise<string> {
  const person = await findPersonByEmail(services.db, email.trim().toLowerCase());
  if (person === null) throw new Problem('not_found', 'There is no such person.');
  return person.id;
}

/**
 * Deletes a person who signed up with an address and never proved that it is theirs. Such a person has no account and no session,
 * and their password must not count for whoever does prove it.
 */
export function forgetUnverifiedPerson(services: Pick<Services, 'db'>, email: string): Promise<void> {
  return deleteUnverifiedRow(services.db, email);
}

/** Adds a person to the pair of an account, without an invitation. */
export function addMember(
  services: Pick<Services, 'db'>,
  { personId, accountId, role, actor }: { personId: string; accountId: string; role: Role; actor: string },
): Promise<void> {
  return withTx(services.db, async (tx) => {
    const { pairId } = await requirePair(tx, accountId);
    await markSetUp(tx, personId);
    if (!(await insertMembership(tx, { personId, pairId, role }))) {
      throw new Problem('invalid_params', 'This person is already a member.');
    }
    await recordAudit(tx, { actor, action: 'member.added', accountId, detail: { personId, role } });
  });
}

/** Deletes a person with everything that signs them in. Their invitations end. Their accounts stay; an account keeps an owner. */
export function deletePerson(
  services: Pick<Services, 'db'>,
  { personId, actor }: { personId: string; actor: string },
): Promise<void> {
  return withTx(services.db, async (tx) => {
    const [account] = await findSoleOwnerships(tx, personId);
    if (account !== undefined) {
      throw new Problem(
        'invalid_params',
        `This person is the only owner of account ${account.accountId}, which has other members. Make one of them an owner first.`,
      );
    }
    await revokeInvitationsOf(tx, { personId, pairId: null });
    if (!(await deletePersonRow(tx, personId))) throw new Problem('not_found', 'There is no such person.');
    await recordAudit(tx, { actor, action: 'person.deleted', accountId: null, detail: { personId } });
  });
}
