import type { EventType } from '@atelier/contract';
import { type Db, statement } from '../../platform/db.ts';

export interface EventRow {
  readonly id: string;
  readonly type: EventType;
  readonly generationId: string;
  readonly createdAt: Date;
  readonly xid: string;
  readonly seq: number;
}

/**
 * Only events of transactions older than every one still open: a transaction that started earlier may commit later, and its
 * event must not appear behind a cursor that has passed.
 */
const FEED = statement(
  'event_feed',
  `SELECT id, type, generation_id AS "generationId", created_at AS "createdAt", xid::text AS xid, seq FROM event
   WHERE account_id = $1 AND (xid, seq) > ($2::xid8, $3) AND xid < pg_snapshot_xmin(pg_current_snapshot())
   ORDER BY xid, seq LIMIT $4`,
);

export function findEvents(
  db: Db,
  query: { accountId: string; after: { xid: string; seq: number }; limit: number },
): Promise<EventRow[]> {
  return db.query<EventRow>(FEED, [query.accountId, query.after.xid, query.after.seq, query.limit]);
}

const DELETE_OLD = statement(
  'delete_old_events',
  `DELETE FROM event WHERE id IN (SELECT id FROM event WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2)
   RETURNING id`,
);

export async function deleteOldEvents(db: Db, options: { days: number; limit: number }): Promise<number> {
  return (await db.query(DELETE_OLD, [options.days, options.limit])).length;
}
