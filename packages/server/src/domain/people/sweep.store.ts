import { type Db, statement } from '../../platform/db.ts';

const expired = (table: string, key: string, condition: string) =>
  statement(
    `sweep_${table}`,
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT $1) RETURNING 1`,
  );

const SWEEPS = [
  expired('person_session', 'id', 'expires_at < now()'),
  expired('person_verification', 'id', 'expires_at < now()'),
  expired('desk_session', 'id', 'expires_at < now()'),
  expired('desk_verification', 'id', 'expires_at < now()'),
  expired('throttle', 'key', 'ends_at < now()'),
  expired('pairing', 'secret_hash', 'expires_at < now()'),
  // Kept for a while, so that an owner sees who did not come.
  expired('invitation', 'id', `expires_at < now() - interval '30 days'`),
];

/** Deletes one batch of each kind. Returns the size of the largest. */
export async function deleteExpired(db: Db, limit: number): Promise<number> {
  let largest = 0;
  for (const sweep of SWEEPS) largest = Math.max(largest, (await db.query(sweep, [limit])).length);
  return largest;
}
