import type { EventType, GenerationStatus } from '@atelier/contract';
import { type Db, statement } from '../../platform/db.ts';

/** A position in an account's feed. The order is the same for every reader, and no event is ever inserted before a position. */
export interface FeedPlace {
  readonly epoch: number;
  readonly xid: string;
  readonly seq: number;
}

export interface EventRow extends FeedPlace {
  readonly id: string;
  readonly type: EventType;
  readonly generationId: string;
  readonly createdAt: Date;
}

const COLUMNS = `e.id, e.type, e.generation_id AS "generationId", e.created_at AS "createdAt", e.epoch, e.xid::text AS xid, e.seq`;

/**
 * Only events of transactions older than every open one: a transaction that started earlier may commit later, and its event
 * must not appear before a position that a reader has passed. An open write transaction anywhere on the server delays the
 * feed until it ends, so the feed can be late but never wrong. All transactions of an earlier epoch have ended.
 */
const IS_SETTLED = `(e.epoch < (SELECT epoch FROM event_epoch) OR e.xid < pg_snapshot_xmin(pg_current_snapshot()))`;

const FEED = statement(
  'event_feed',
  `SELECT ${COLUMNS} FROM event e
   WHERE e.account_id = $1 AND (e.epoch, e.xid, e.seq) > ($2, $3::xid8, $4) AND ${IS_SETTLED}
   ORDER BY e.epoch, e.xid, e.seq LIMIT $5`,
);

export function findEvents(db: Db, query: { accountId: string; after: FeedPlace; limit: number }): Promise<EventRow[]> {
  const { epoch, xid, seq } = query.after;
  return db.query<EventRow>(FEED, [query.accountId, epoch, xid, seq, query.limit]);
}

/** The index of the feed, read backwards. The position must not be after the end of the feed. */
const NEWEST = statement(
  'newest_events',
  `SELECT ${COLUMNS} FROM event e
   WHERE e.account_id = $1 AND (e.epoch, e.xid, e.seq) < ($2, $3::xid8, $4)
   ORDER BY e.epoch DESC, e.xid DESC, e.seq DESC LIMIT $5`,
);

export function findEventsBefore(
  db: Db,
  query: { accountId: string; before: FeedPlace; limit: number },
): Promise<EventRow[]> {
  const { epoch, xid, seq } = query.before;
  return db.query<EventRow>(NEWEST, [query.accountId, epoch, xid, seq, query.limit]);
}

export interface FeedReader {
  readonly accountId: string;
  readonly after: FeedPlace;
}

/** The same for many readers at once, each from its own position: one short index scan for each. */
const FEEDS = statement(
  'event_feeds',
  `SELECT r.n::int AS reader, f.* FROM unnest($1::uuid[], $2::int[], $3::text[], $4::bigint[]) WITH ORDINALITY AS r (account_id, epoch, xid, seq, n)
   CROSS JOIN LATERAL (
     SELECT ${COLUMNS} FROM event e
     WHERE e.account_id = r.account_id AND (e.epoch, e.xid, e.seq) > (r.epoch, r.xid::xid8, r.seq) AND ${IS_SETTLED}
     ORDER BY e.epoch, e.xid, e.seq LIMIT $5
   ) f ORDER BY r.n, f.epoch, f.xid::xid8, f.seq`,
);

/** Each row has the index of its reader, from zero. */
export async function findEventsOfReaders(
  db: Db,
  query: { readers: readonly FeedReader[]; limitEach: number },
): Promise<Array<EventRow & { reader: number }>> {
  const rows = await db.query<EventRow & { reader: number }>(FEEDS, [
    query.readers.map((reader) => reader.accountId),
    query.readers.map((reader) => reader.after.epoch),
    query.readers.map((reader) => reader.after.xid),
    query.readers.map((reader) => reader.after.seq),
    query.limitEach,
  ]);
  return rows.map((row) => ({ ...row, reader: row.reader - 1 }));
}

/** The position after everything that a feed can show now, and before everything that it cannot show yet. */
const FEED_END = statement(
  'event_feed_end',
  'SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS xid, 0::bigint AS seq FROM event_epoch',
);

export async function findFeedEnd(db: Db): Promise<FeedPlace> {
  const [row] = await db.query<FeedPlace>(FEED_END);
  return row as FeedPlace;
}

export interface LiveRow {
  readonly accountId: string;
  readonly id: string;
  readonly status: GenerationStatus;
  readonly progress: number | null;
  readonly queuePosition: number | null;
}

/** All running and the first waiting generations of these accounts, from the index of live generations. */
const LIVE = statement(
  'live_generations',
  `SELECT a.id AS "accountId", g.id, g.status, g.progress, g.place AS "queuePosition" FROM unnest($1::uuid[]) AS a (id)
   CROSS JOIN LATERAL (
     (SELECT p.id, p.status, p.progress, NULL::int AS place FROM generation p
      WHERE p.account_id = a.id AND p.status = 'processing' AND p.admitted AND p.completed_at IS NULL ORDER BY p.created_at, p.id LIMIT $2)
     UNION ALL
     SELECT q.id, q.status, q.progress, (row_number() OVER (ORDER BY q.created_at, q.id))::int FROM (
       SELECT w.* FROM (VALUES (true), (false)) AS b (admitted) CROSS JOIN LATERAL (
         SELECT n.id, n.status, n.progress, n.created_at FROM generation n
         WHERE n.account_id = a.id AND n.status = 'queued' AND n.admitted = b.admitted AND n.completed_at IS NULL
         ORDER BY n.created_at, n.id LIMIT $2
       ) w ORDER BY w.created_at, w.id LIMIT $2) q
   ) g`,
);

export function findLiveGenerations(
  db: Db,
  query: { accountIds: readonly string[]; limitEach: number },
): Promise<LiveRow[]> {
  return db.query<LiveRow>(LIVE, [query.accountIds, query.limitEach]);
}

const CHECK_EPOCH = statement('check_event_epoch', 'SELECT check_event_epoch() AS epoch');

export async function checkEpoch(db: Db): Promise<number> {
  const [row] = await db.query<{ epoch: number }>(CHECK_EPOCH);
  return (row as { epoch: number }).epoch;
}

// An array, as in every sweep: with IN the planner may choose to join the whole table.
const DELETE_OLD = statement(
  'delete_old_events',
  `DELETE FROM event WHERE id = ANY (ARRAY(
     SELECT id FROM event WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2)) RETURNING id`,
);

export async function deleteOldEvents(db: Db, options: { days: number; limit: number }): Promise<number> {
  return (await db.query(DELETE_OLD, [options.days, options.limit])).length;
}
