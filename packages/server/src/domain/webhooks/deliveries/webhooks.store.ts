import type { EventType, WebhookEvent } from '@atelier/contract';
import type { BudgetReached } from '@atelier/contract/console';
import { type Db, statement, type Tx } from '../../../platform/db.ts';
import type { EndpointStatus } from '../endpoints/endpoints.store.ts';

/** The body of a request to an endpoint. */
export type SentEvent = WebhookEvent | BudgetReached;

export interface DeliveryRow {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'pending' | 'delivered' | 'failed' | 'stopped' | 'held';
  readonly attempts: number;
  readonly round: number;
  /** The only job that may process it; null only on rows older than this column. */
  readonly jobId: string | null;
  /** Null for a test, whose event is in `testEvent`, and for an event about the account, which is in `notice`. */
  readonly eventId: string | null;
  readonly eventType: EventType | null;
  readonly eventCreatedAt: Date | null;
  readonly generationId: string | null;
  readonly testEvent: SentEvent | null;
  readonly notice: BudgetReached | null;
  readonly endpointId: string;
  readonly endpointStatus: EndpointStatus;
  readonly url: string;
  readonly secretSealed: string;
}

const FIND_DELIVERIES = statement(
  'find_deliveries',
  `SELECT d.id, d.account_id AS "accountId", d.status, d.attempts, d.round, d.job_id AS "jobId", e.id AS "eventId",
     e.type AS "eventType", e.created_at AS "eventCreatedAt", e.generation_id AS "generationId", d.test_event AS "testEvent", d.notice,
     p.id AS "endpointId", p.status AS "endpointStatus", p.url, p.secret_sealed AS "secretSealed"
   FROM delivery d LEFT JOIN event e ON e.id = d.event_id JOIN webhook_endpoint p ON p.id = d.endpoint_id
   WHERE d.id = ANY ($1)`,
);

export function findDeliveries(db: Db, ids: readonly string[]): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(FIND_DELIVERIES, [ids]);
}

/** An attempt as the statement takes it. Times are passed as ages, so that all timestamps come from the database clock. */
export interface AttemptInput {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly round: number;
  readonly n: number;
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  /** The request of a failed attempt, so that its receiver can be debugged; null otherwise. */
  readonly sent: { readonly url: string; readonly signature: string; readonly body: string } | null;
  readonly latencyMs: number;
  readonly elapsedMs: number;
  readonly endedAgoMs: number;
  readonly status: 'pending' | 'delivered' | 'failed' | 'stopped';
  /** Until the next attempt; null if there is none. */
  readonly delaySeconds: number | null;
  /** Whether it counts for the endpoint's health; a test does not. */
  readonly counts: boolean;
}

/**
 * Records attempts, updates their deliveries and enqueues the next attempts, in one statement. A second record of the same
 * attempt, by an outdated worker, changes nothing. A delivery stopped during an attempt stays stopped, unless that attempt
 * succeeded. The texts of an attempt whose account was erased meanwhile are dropped; the secret of its endpoint is empty.
 */
const RECORD_ATTEMPTS = statement(
  'record_attempts',
  `WITH given AS MATERIALIZED (
     SELECT g.*, clock_timestamp() - "endedAgoMs" * interval '1 millisecond' AS finished_at, p.secret_sealed = '' AS erased
     FROM json_to_recordset($1::json) AS g ("deliveryId" uuid, "endpointId" uuid, round int, n int, ok boolean, "statusCode" int,
       error text, excerpt text, sent json, "latencyMs" int, "elapsedMs" float8, "endedAgoMs" float8, status text, "delaySeconds" int, counts boolean)
       JOIN webhook_endpoint p ON p.id = g."endpointId"
   ), recorded AS (
     INSERT INTO attempt (delivery_id, round, n, started_at, finished_at, ok, status_code, error, latency_ms, excerpt,
       sent_url, sent_signature, sent_body)
     SELECT "deliveryId", round, n, finished_at - "elapsedMs" * interval '1 millisecond', finished_at, ok, "statusCode",
       CASE WHEN erased AND error IS NOT NULL THEN 'erased' ELSE error END, "latencyMs", CASE WHEN NOT erased THEN excerpt END,
       CASE WHEN NOT erased THEN sent ->> 'url' END, CASE WHEN NOT erased THEN sent ->> 'signature' END,
       CASE WHEN NOT erased THEN sent ->> 'body' END
     FROM given ON CONFLICT DO NOTHING RETURNING delivery_id, round, n
   ), moved AS (
     UPDATE delivery d SET status = g.status, attempts = g.n, reason = g.error,
       next_at = g.finished_at + g."delaySeconds" * interval '1 second',
       finished_at = CASE WHEN g.status = 'pending' THEN NULL ELSE g.finished_at END,
       job_id = CASE WHEN g.status = 'pending' THEN gen_random_uuid() ELSE d.job_id END
     FROM recorded r JOIN given g ON g."deliveryId" = r.delivery_id AND g.round = r.round AND g.n = r.n
     WHERE d.id = r.delivery_id AND d.round = r.round AND (d.status = 'pending' OR (g.ok AND d.status = 'stopped'))
     RETURNING d.id, d.round, d.attempts, d.status, d.next_at, d.job_id
   ), health AS (
     UPDATE webhook_endpoint p SET failing_since = CASE WHEN h.ok THEN NULL ELSE now() END
     FROM (SELECT "endpointId", bool_or(ok) AS ok FROM given WHERE counts GROUP BY 1) h
     WHERE p.id = h."endpointId" AND (p.failing_since IS NULL) <> h.ok
   )
   SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => moved.job_id,
     p_data => jsonb_build_object('deliveryId', moved.id, 'round', moved.round, 'attempt', moved.attempts + 1),
     p_start_after => moved.next_at)
   FROM moved WHERE moved.status = 'pending'`,
);

export async function recordAttempts(tx: Tx, attempts: readonly AttemptInput[]): Promise<void> {
  await tx.query(RECORD_ATTEMPTS, [JSON.stringify(attempts)]);
}

export interface HandBack {
  readonly deliveryId: string;
  readonly jobId: string;
  readonly delayMs: number;
}

/** Postpones the attempt: a new job replaces the current one. */
const HAND_BACK = statement(
  'hand_back_deliveries',
  `WITH moved AS (
     UPDATE delivery d SET job_id = gen_random_uuid(), next_at = clock_timestamp() + g.delay_ms * interval '1 millisecond'
     FROM unnest($1::uuid[], $2::uuid[], $3::float8[]) AS g (id, job_id, delay_ms)
     WHERE d.id = g.id AND d.status = 'pending' AND coalesce(d.job_id, g.job_id) = g.job_id
     RETURNING d.id, d.round, d.attempts, d.job_id, d.next_at
   )
   SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => moved.job_id,
     p_data => jsonb_build_object('deliveryId', moved.id, 'round', moved.round, 'attempt', moved.attempts + 1),
     p_start_after => moved.next_at)
   FROM moved`,
);

export async function handBackDeliveries(tx: Tx, given: readonly HandBack[]): Promise<void> {
  await tx.query(HAND_BACK, [
    given.map((each) => each.deliveryId),
    given.map((each) => each.jobId),
    given.map((each) => each.delayMs),
  ]);
}

const SET_ASIDE = statement(
  'set_delivery_aside',
  `UPDATE delivery SET status = $2, reason = $3, next_at = NULL, finished_at = CASE WHEN $2 = 'stopped' THEN now() END
   WHERE id = $1 AND status = 'pending'`,
);

/** No further attempt: permanently if `stopped`, until redelivery if `held`. */
export async function setDeliveryAside(
  tx: Tx,
  options: { id: string; status: 'stopped' | 'held'; reason: string },
): Promise<void> {
  await tx.query(SET_ASIDE, [options.id, options.status, options.reason]);
}
