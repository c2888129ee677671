import { type Db, statement } from '../../../platform/db.ts';

const FIND_ENDED = statement(
  'find_ended_generations',
  `SELECT g.id FROM unnest($1::uuid[], $2::uuid[]) AS asked (account_id, id)
   JOIN generation g ON g.account_id = asked.account_id AND g.id = asked.id WHERE g.completed_at IS NOT NULL`,
);

/** Returns the ids of the generations that have ended. */
export async function findEndedGenerations(
  db: Db,
  asked: ReadonlyArray<{ readonly accountId: string; readonly id: string }>,
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(FIND_ENDED, [
    asked.map(({ accountId }) => accountId),
    asked.map(({ id }) => id),
  ]);
  return new Set(rows.map(({ id }) => id));
}
