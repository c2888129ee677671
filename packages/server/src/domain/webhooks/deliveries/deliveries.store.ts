import type { BudgetReached, EndpointEvent } from '@atelier/contract/console';
import { type Db, statement, type Tx } from '../../../platform/db.ts';
import type { DeliveryRow, SentEvent } from './webhooks.store.ts';

export interface AttemptRow {
  readonly round: number;
  readonly n: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly latencyMs: number;
  readonly excerpt: string | null;
}

export interface DeliveryLogRow {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: EndpointEvent;
  /** Null if the event is about the account. */
  readonly generationId: string | null;
  readonly isTest: boolean;
  readonly status: DeliveryRow['status'];
  readonly reason: string | null;
  readonly round: number;
  readonly nextAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly attempts: readonly AttemptRow[];
}

const LOG_COLUMNS = `d.id, d.endpoint_id AS "endpointId", coalesce(e.id::text, coalesce(d.test_event, d.notice) ->> 'id') AS "eventId",
     coalesce(e.type, coalesce(d.test_event, d.notice) ->> 'type') AS "eventType",
     coalesce(e.generation_id::text, d.test_event #>> '{data,generation,id}') AS "generationId", d.test_event IS NOT NULL AS "isTest",
     d.status, d.reason, d.round, d.next_at AS "nextAt", d.created_at AS "createdAt", d.finished_at AS "finishedAt",
     coalesce((SELECT jsonb_agg(jsonb_build_object('round', a.round, 'n', a.n, 'startedAt', a.started_at, 'finishedAt', a.finished_at,
         'ok', a.ok, 'statusCode', a.status_code, 'error', a.error, 'latencyMs', a.latency_ms, 'excerpt', a.excerpt) ORDER BY a.round, a.n)
       FROM attempt a WHERE a.delivery_id = d.id), '[]') AS attempts`;

/** A page of each status by index, and the newest rows of all: the cost does not depend on how many have the status. */
const LIST_DELIVERIES = statement(
  'list_deliveries',
  `SELECT ${LOG_COLUMNS}
   FROM (
     SELECT l.* FROM (VALUES ('pending'), ('delivered'), ('failed'), ('stopped'), ('held')) AS s (status) CROSS JOIN LATERAL (
       SELECT * FROM delivery p WHERE p.account_id = $1 AND p.endpoint_id = $2 AND p.status = s.status
         AND (p.created_at, p.id) < (
           CASE WHEN $4::uuid IS NULL THEN 'infinity' ELSE (SELECT b.created_at FROM delivery b WHERE b.account_id = $1 AND b.id = $4) END,
           coalesce($4, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ORDER BY p.created_at DESC, p.id DESC LIMIT $5
     ) l WHERE $3::text IS NULL OR s.status = $3 ORDER BY l.created_at DESC, l.id DESC LIMIT $5
   ) d LEFT JOIN LATERAL (SELECT * FROM event WHERE id = d.event_id LIMIT 1) e ON true
   ORDER BY d.created_at DESC, d.id DESC`,
);

export function findDeliveryLog(
  db: Db,
  query: {
    accountId: string;
    endpointId: string;
    status: DeliveryRow['status'] | null;
    beforeId: string | null;
    limit: number;
  },
): Promise<DeliveryLogRow[]> {
  return db.query<DeliveryLogRow>(LIST_DELIVERIES, [
    query.accountId,
    query.endpointId,
    query.status,
    query.beforeId,
    query.limit,
  ]);
}

const SHOW_DELIVERY = statement(
  'show_delivery',
  `SELECT ${LOG_COLUMNS} FROM delivery d LEFT JOIN event e ON e.id = d.event_id WHERE d.account_id = $1 AND d.id = $2`,
);

export async function findDelivery(
  db: Db,
  key: { accountId: string; deliveryId: string },
): Promise<DeliveryLogRow | null> {
  const [row] = await db.query<DeliveryLogRow>(SHOW_DELIVERY, [key.accountId, key.deliveryId]);
  return row ?? null;
}

/** An attempt whose request is recorded: a failed one. */
export interface SentRequestRow {
  readonly deliveryId: string;
  readonly round: number;
  readonly n: number;
  readonly url: string;
  readonly signature: string;
  readonly body: string;
}

const SENT_COLUMNS = `a.delivery_id AS "deliveryId", a.round, a.n, a.sent_url AS url, a.sent_signature AS signature, a.sent_body AS body`;
const LAST_SENT = statement(
  'last_sent_request',
  `SELECT ${SENT_COLUMNS} FROM delivery d JOIN attempt a ON a.delivery_id = d.id
   WHERE d.account_id = $1 AND d.id = $2 AND a.sent_body IS NOT NULL ORDER BY a.round DESC, a.n DESC LIMIT 1`,
);

/** The request of the last failed attempt, as it was sent; null if none is recorded. */
export async function findLastSentRequest(
  db: Db,
  key: { accountId: string; deliveryId: string },
): Promise<SentRequestRow | null> {
  const [row] = await db.query<SentRequestRow>(LAST_SENT, [key.accountId, key.deliveryId]);
  return row ?? null;
}

/** The newest deliveries only: a receiver is debugged with a recent request. */
const FIND_SENT = statement(
  'find_sent_request',
  `SELECT ${SENT_COLUMNS} FROM (
     SELECT d.id FROM delivery d WHERE d.account_id = $1 AND d.endpoint_id = $2 ORDER BY d.created_at DESC LIMIT $4
   ) d JOIN attempt a ON a.delivery_id = d.id
   WHERE a.sent_signature LIKE 't=' || $3 || ',%' AND a.sent_body IS NOT NULL ORDER BY a.started_at DESC LIMIT $5`,
);

/** The recorded requests of an endpoint that were signed at this time. */
export function findSentRequests(
  db: Db,
  query: { accountId: string; endpointId: string; timestamp: string; deliveries: number; limit: number },
): Promise<SentRequestRow[]> {
  return db.query<SentRequestRow>(FIND_SENT, [
    query.accountId,
    query.endpointId,
    query.timestamp,
    query.deliveries,
    query.limit,
  ]);
}

const FIND_DELIVERY_ENDPOINT = statement(
  'find_delivery_endpoint',
  `SELECT d.endpoint_id AS "endpointId", d.test_event IS NOT NULL AS "isTest" FROM delivery d WHERE d.account_id = $1 AND d.id = $2`,
);

export async function findDeliveryEndpoint(
  tx: Tx,
  key: { accountId: string; deliveryId: string },
): Promise<{ endpointId: string; isTest: boolean } | null> {
  const [row] = await tx.query<{ endpointId: string; isTest: boolean }>(FIND_DELIVERY_ENDPOINT, [
    key.accountId,
    key.deliveryId,
  ]);
  return row ?? null;
}

/** A new round of nine attempts, from now. Attempts of the old round no longer count. */
const REDELIVER = `UPDATE delivery d SET status = 'pending', round = d.round + 1, attempts = 0, reason = NULL, finished_at = NULL,
     next_at = now(), job_id = gen_random_uuid()`;
const ENQUEUE_MOVED = `SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => moved.job_id,
     p_data => jsonb_build_object('deliveryId', moved.id, 'round', moved.round, 'attempt', 1),
     p_start_after => now()) FROM moved`;

const REDELIVER_ONE = statement(
  'redeliver_one',
  `WITH moved AS (${REDELIVER} WHERE d.account_id = $1 AND d.id = $2 RETURNING d.id, d.round, d.job_id) ${ENQUEUE_MOVED}`,
);

export async function redeliverRow(tx: Tx, key: { accountId: string; deliveryId: string }): Promise<void> {
  await tx.query(REDELIVER_ONE, [key.accountId, key.deliveryId]);
}

const REDELIVER_FAILED = statement(
  'redeliver_failed',
  `WITH chosen AS (
     SELECT c.id FROM delivery c WHERE c.account_id = $1 AND c.endpoint_id = $2 AND c.status IN ('failed', 'stopped', 'held')
       AND c.created_at >= $3 AND c.test_event IS NULL
     ORDER BY c.created_at LIMIT $4 FOR UPDATE
   ), moved AS (${REDELIVER} FROM chosen WHERE d.id = chosen.id RETURNING d.id, d.round, d.job_id) ${ENQUEUE_MOVED}`,
);

export async function redeliverFailedRows(
  tx: Tx,
  query: { accountId: string; endpointId: string; since: Date; limit: number },
): Promise<number> {
  return (await tx.query(REDELIVER_FAILED, [query.accountId, query.endpointId, query.since, query.limit])).length;
}

const INSERT_TEST = statement(
  'insert_test_delivery',
  `WITH moved AS (
     INSERT INTO delivery (id, endpoint_id, account_id, test_event, created_at, next_at, job_id)
     VALUES ($1, $2, $3, $4, clock_timestamp(), now(), gen_random_uuid()) RETURNING id, round, job_id
   ) ${ENQUEUE_MOVED}`,
);

export async function insertTestDelivery(
  tx: Tx,
  delivery: { id: string; endpointId: string; accountId: string; event: SentEvent },
): Promise<void> {
  await tx.query(INSERT_TEST, [delivery.id, delivery.endpointId, delivery.accountId, JSON.stringify(delivery.event)]);
}

/** To each endpoint that subscribes to it, whatever its key: with its job, or held while the endpoint is paused. */
const INSERT_NOTICES = statement(
  'insert_notice_deliveries',
  `WITH moved AS (
     INSERT INTO delivery (id, endpoint_id, account_id, notice, created_at, status, reason, next_at, job_id)
     SELECT gen_random_uuid(), e.id, e.account_id, $2::jsonb, clock_timestamp(), s.status, s.reason, s.next_at, gen_random_uuid()
     FROM webhook_endpoint e
     JOIN (VALUES ('active', 'pending', NULL, now()), ('paused', 'held', 'The endpoint is paused.', NULL)) AS s (endpoint, status, reason, next_at)
       ON s.endpoint = e.status
     WHERE e.account_id = $1 AND e.status <> 'deleted' AND $3 = ANY (e.events)
     RETURNING id, round, job_id, status
   ) ${ENQUEUE_MOVED} WHERE moved.status = 'pending'`,
);

export async function insertNoticeDeliveries(
  tx: Tx,
  notice: { accountId: string; event: BudgetReached },
): Promise<void> {
  await tx.query(INSERT_NOTICES, [notice.accountId, JSON.stringify(notice.event), notice.event.type]);
}

/** Overdue without a job: the queue dropped it, or the row was created elsewhere. */
const FIND_STUCK = statement(
  'find_stuck_deliveries',
  `SELECT d.id FROM delivery d LEFT JOIN LATERAL (
     SELECT true AS found FROM pgboss.job j WHERE j.name = 'deliver-webhook' AND j.id = d.job_id AND j.state IN ('created', 'retry', 'active') LIMIT 1
   ) own ON true
   WHERE d.status = 'pending' AND d.next_at < now() - $1 * interval '1 second' AND own.found IS NULL
     AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = d.account_id AND a.moved_to IS NOT NULL)
   ORDER BY d.next_at LIMIT $2`,
);

export async function findStuckDeliveries(
  db: Db,
  options: { overdueSeconds: number; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(FIND_STUCK, [options.overdueSeconds, options.limit]);
  return rows.map((row) => row.id);
}

const REQUEUE = statement(
  'requeue_deliveries',
  `WITH moved AS (
     UPDATE delivery d SET job_id = gen_random_uuid(), next_at = now() WHERE d.id = ANY ($1) AND d.status = 'pending'
     RETURNING d.id, d.round, d.attempts, d.job_id
   )
   SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => moved.job_id,
     p_data => jsonb_build_object('deliveryId', moved.id, 'round', moved.round, 'attempt', moved.attempts + 1),
     p_start_after => now()) FROM moved`,
);

export async function requeueDeliveries(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(REQUEUE, [ids]);
}

/** Tests and events about the account: they have no event in the feed, whose deletion would delete them. */
const DELETE_OLD_TESTS = statement(
  'delete_old_tests',
  `DELETE FROM delivery WHERE id = ANY (ARRAY(
     SELECT id FROM delivery WHERE event_id IS NULL AND created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2))
   RETURNING id`,
);

export async function deleteOldTests(db: Db, options: { days: number; limit: number }): Promise<number> {
  return (await db.query(DELETE_OLD_TESTS, [options.days, options.limit])).length;
}
