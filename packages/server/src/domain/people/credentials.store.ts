import { type Db, statement, type Tx } from '../../platform/db.ts';

/** How the identifiers of password links begin. What follows is a hash. */
export const RESET_LINK = 'reset ';

const VERIFY_ADDRESS = statement(
  'verify_address',
  'UPDATE person SET email_verified = true, updated_at = now() WHERE id = $1 AND NOT email_verified',
);

export async function setAddressVerified(db: Db | Tx, personId: string): Promise<void> {
  await db.query(VERIFY_ADDRESS, [personId]);
}

const DELETE_SESSIONS = statement('delete_sessions', 'DELETE FROM person_session WHERE person_id = $1');
const DELETE_DESK_SESSIONS = statement('delete_desk_sessions', 'DELETE FROM desk_session WHERE person_id = $1');
const DELETE_PASSKEYS = statement('delete_passkeys', 'DELETE FROM person_passkey WHERE person_id = $1 RETURNING 1');

/** Returns the number of passkeys. */
export async function deleteSessionsAndPasskeys(tx: Tx, personId: string): Promise<number> {
  await tx.query(DELETE_SESSIONS, [personId]);
  await tx.query(DELETE_DESK_SESSIONS, [personId]);
  return (await tx.query(DELETE_PASSKEYS, [personId])).length;
}

const OF_PERSON = 'value = $1 AND length(value) = 36';
const DELETE_ONE_TIME_VALUES = statement(
  'delete_one_time_values',
  `WITH at_desk AS (DELETE FROM desk_verification WHERE ${OF_PERSON})
   DELETE FROM person_verification WHERE ${OF_PERSON}`,
);

export async function deleteDeskSessions(db: Db, personId: string): Promise<void> {
  await db.query(DELETE_DESK_SESSIONS, [personId]);
}

export async function deleteOneTimeValues(db: Db | Tx, personId: string): Promise<void> {
  await db.query(DELETE_ONE_TIME_VALUES, [personId]);
}

const DELETE_OLDER_LINKS = statement(
  'delete_older_links',
  `DELETE FROM person_verification WHERE ${OF_PERSON} AND identifier LIKE '${RESET_LINK}%' AND created_at < $2`,
);

export async function deleteOlderLinks(db: Db, link: { personId: string; createdAt: Date }): Promise<void> {
  await db.query(DELETE_OLDER_LINKS, [link.personId, link.createdAt]);
}
