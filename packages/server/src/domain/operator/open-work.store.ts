import { type Db, statement } from '../../platform/db.ts';

export interface PoolRow {
  readonly pool: string;
  /** Queued without a job: the account has no free slot, or enough others of the model have one. */
  readonly waiting: number;
  /** Queued with a job: waiting for a worker. */
  readonly admitted: number;
  readonly processing: number;
  /** Age of the oldest generation that waits for a worker. */
  readonly oldestAdmittedSeconds: number;
  readonly oldestWaitingSeconds: number;
  /** How far the most overdue run is past its deadline, by which it should have been settled. */
  readonly overdueSeconds: number;
}

// Reads the index of unfinished generations: those that are admitted and those that are not, oldest first, up to the limit each.
const FIND_POOLS = statement(
  'find_pool_state',
  `SELECT pool,
     count(*) FILTER (WHERE status = 'queued' AND (parked OR NOT admitted))::int AS waiting,
     count(*) FILTER (WHERE status = 'queued' AND admitted AND NOT parked)::int AS admitted,
     count(*) FILTER (WHERE status = 'processing')::int AS processing,
     coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE status = 'queued' AND admitted AND NOT parked)), 0)::float8 AS "oldestAdmittedSeconds",
     coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE status = 'queued' AND (parked OR NOT admitted))), 0)::float8 AS "oldestWaitingSeconds",
     greatest(coalesce(extract(epoch FROM now() - min(deadline_at) FILTER (WHERE status = 'processing')), 0), 0)::float8 AS "overdueSeconds"
   FROM (VALUES (true), (false)) AS b (slot) CROSS JOIN LATERAL (
     SELECT pool, status, admitted, parked, created_at, deadline_at FROM generation g
     WHERE g.completed_at IS NULL AND g.admitted = b.slot ORDER BY g.created_at LIMIT $1
   ) live GROUP BY pool`,
);

export function findPoolState(db: Db, options: { limit: number }): Promise<PoolRow[]> {
  return db.query<PoolRow>(FIND_POOLS, [options.limit]);
}

export interface BacklogRow {
  readonly openHolds: number;
  readonly openHoldCoins: number;
  /** Deliveries whose next attempt is due, and those scheduled for later. */
  readonly dueDeliveries: number;
  readonly scheduledDeliveries: number;
  /** How long the oldest due attempt has been due. */
  readonly deliveryLagSeconds: number;
  /** Events of the payment provider that could not be applied yet, and the age of the oldest. */
  readonly parkedPayments: number;
  readonly parkedPaymentSeconds: number;
}

// Each part reads an index of open rows only. A hold is open exactly while its generation is live, for the coins quoted.
const FIND_BACKLOG = statement(
  'find_backlog',
  `SELECT h.count AS "openHolds", h.coins AS "openHoldCoins", d.due AS "dueDeliveries", d.scheduled AS "scheduledDeliveries",
     d.lag AS "deliveryLagSeconds", p.count AS "parkedPayments", p.age AS "parkedPaymentSeconds"
   FROM (
     SELECT count(*)::int AS count, coalesce(sum(amount), 0)::bigint AS coins
     FROM (SELECT coins_quoted AS amount FROM generation WHERE completed_at IS NULL ORDER BY admitted, created_at LIMIT $1) open
   ) h, (
     SELECT count(*) FILTER (WHERE next_at <= now())::int AS due, count(*) FILTER (WHERE next_at > now())::int AS scheduled,
       greatest(coalesce(extract(epoch FROM now() - min(next_at)), 0), 0)::float8 AS lag
     FROM (SELECT next_at FROM delivery WHERE status = 'pending' ORDER BY next_at LIMIT $1) pending
   ) d, (
     SELECT count(*)::int AS count, greatest(coalesce(extract(epoch FROM now() - min(parked_at)), 0), 0)::float8 AS age
     FROM (SELECT parked_at FROM parked_payment_event ORDER BY parked_at LIMIT $1) parked
   ) p`,
);

export async function findBacklog(db: Db, options: { limit: number }): Promise<BacklogRow> {
  const [row] = await db.query<BacklogRow>(FIND_BACKLOG, [options.limit]);
  return row as BacklogRow;
}
