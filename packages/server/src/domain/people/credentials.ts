import { type Db, withTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import {
  deleteDeskSessions,
  deleteOlderLinks,
  deleteOneTimeValues,
  deleteSessionsAndPasskeys,
  RESET_LINK,
  setAddressVerified,
} from './credentials.store.ts';
import { findPerson, type PersonRow } from './people.store.ts';

export { RESET_LINK };

/** Null if there is no such person, for example because a later sign-up with the same address replaced them. */
export function findPersonById(services: { db: Db }, personId: string): Promise<PersonRow | null> {
  return findPerson(services.db, personId);
}

/** A person who used a link from a mail can read the mails of the address. */
export function markAddressVerified(services: Pick<Services, 'db'>, personId: string): Promise<void> {
  return setAddressVerified(services.db, personId);
}

/**
 * The person chose a password with a link from a mail. Whoever got in before stays outside: sessions, half-finished sign-ins,
 * other links and passkeys end. An authenticator app stays, because it lets nobody in by itself and protects a person whose mails
 * someone else reads. Returns the number of passkeys removed.
 */
export function settlePasswordReset(services: Pick<Services, 'db'>, personId: string): Promise<number> {
  return withTx(services.db, async (tx) => {
    await setAddressVerified(tx, personId);
    await deleteOneTimeValues(tx, personId);
    return deleteSessionsAndPasskeys(tx, personId);
  });
}

/** The password links, half-finished sign-ins and sessions at the desk of a person end. */
export async function endOneTimeValues(services: Pick<Services, 'db'>, personId: string): Promise<void> {
  await deleteOneTimeValues(services.db, personId);
  await deleteDeskSessions(services.db, personId);
}

/** Of several password links of a person, the newest is valid. */
export function endOlderLinks(
  services: Pick<Services, 'db'>,
  link: { personId: string; createdAt: Date },
): Promise<void> {
  return deleteOlderLinks(services.db, link);
}
