import { type Db, withTx } from '../../platform/db.ts';
import { type AccountDefaults, createAccountPair } from '../accounts/create-account-pair.ts';
import { recordAudit } from '../operator/record-audit.ts';
import { insertMembership, markSetUp } from './people.store.ts';

/**
 * Creates the pair of accounts of a person whose address is verified, once. Every sign-in calls it, so that an interrupted
 * sign-up continues. Someone who accepted an invitation before gets no pair of their own.
 */
export function setUpPerson(
  services: { db: Db; accountDefaults: AccountDefaults },
  personId: string,
): Promise<{ accountId: string; testAccountId: string } | null> {
  return withTx(services.db, async (tx) => {
    const person = await markSetUp(tx, personId);
    if (person === null) return null;
    const { ownerId, accountId, testAccountId } = await createAccountPair(tx, {
      name: person.name || person.email,
      actor: `person ${personId}`,
      defaults: services.accountDefaults,
    });
    await insertMembership(tx, { personId, pairId: ownerId, role: 'owner' });
    await recordAudit(tx, {
      actor: `person ${personId}`,
      action: 'member.added',
      accountId,
      detail: { personId, role: 'owner' },
    });
    return { accountId, testAccountId };
  });
}
