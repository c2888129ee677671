import type { EventType } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface DeliveryRow {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'pending' | 'delivered' | 'failed' | 'stopped';
  readonly attempts: number;
  readonly round: number;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly eventCreatedAt: Date;
  readonly generationId: string;
  readonly endpointId: string;
  readonly endpointStatus: 'active' | 'paused' | 'deleted';
  readonly url: string;
  readonly secretSealed: string;
}

const FIND_DELIVERIES = statement(
  'find_deliveries',
  `SELECT d.id, d.account_id AS "accountId", d.status, d.attempts, d.round, e.id AS "eventId", e.type AS "eventType",
     e.created_at AS "eventCreatedAt", e.generation_id AS "generationId", p.id AS "endpointId", p.status AS "endpointStatus",
     p.url, p.secret_sealed AS "secretSealed"
   FROM delivery d JOIN event e ON e.id = d.event_id JOIN webhook_endpoint p ON p.id = d.endpoint_id
   WHERE d.id = ANY ($1)`,
);

export function findDeliveries(db: Db, ids: readonly string[]): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(FIND_DELIVERIES, [ids]);
}

export interface AttemptRecord {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly round: number;
  readonly n: number;
  readonly startedAt: Date;
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly latencyMs: number;
  readonly excerpt: string | null;
  readonly status: 'pending' | 'delivered' | 'failed';
  /** Until the next attempt; null when there is none. */
  readonly delaySeconds: number | null;
}

/**
 * Records an attempt, moves the delivery on and enqueues the next attempt, in one statement. A second record of the same
 * attempt, by a worker that was overtaken, changes nothing.
 */
const RECORD_ATTEMPT = statement(
  'record_attempt',
  `WITH recorded AS (
     INSERT INTO attempt (delivery_id, round, n, started_at, finished_at, ok, status_code, error, latency_ms, excerpt)
     VALUES ($1, $2, $3, $4, clock_timestamp(), $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING delivery_id, finished_at
   ), moved AS (
     UPDATE delivery d SET status = $10, attempts = $3, reason = $7,
       next_at = recorded.finished_at + $11 * interval '1 second',
       finished_at = CASE WHEN $10 = 'pending' THEN NULL ELSE recorded.finished_at END
     FROM recorded WHERE d.id = recorded.delivery_id AND d.round = $2 RETURNING d.id, d.next_at
   ), health AS (
     UPDATE webhook_endpoint SET failing_since = CASE WHEN $5 THEN NULL ELSE coalesce(failing_since, now()) END
     WHERE id = $12 AND (failing_since IS NULL) <> $5
   )
   SELECT enqueue_job('deliver-webhook', gen_random_uuid(),
     jsonb_build_object('deliveryId', moved.id, 'round', $2::int, 'attempt', $3::int + 1), moved.next_at)
   FROM moved WHERE $11 IS NOT NULL`,
);

export async function recordAttempt(tx: Tx, a: AttemptRecord): Promise<void> {
  await tx.query(RECORD_ATTEMPT, [
    a.deliveryId,
    a.round,
    a.n,
    a.startedAt,
    a.ok,
    a.statusCode,
    a.error,
    a.latencyMs,
    a.excerpt,
    a.status,
    a.delaySeconds,
    a.endpointId,
  ]);
}

const STOP_DELIVERY = statement(
  'stop_delivery',
  `UPDATE delivery SET status = 'stopped', reason = $2, next_at = NULL, finished_at = now() WHERE id = $1 AND status = 'pending'`,
);

export async function stopDelivery(tx: Tx, options: { id: string; reason: string }): Promise<void> {
  await tx.query(STOP_DELIVERY, [options.id, options.reason]);
}

const INSERT_ENDPOINT = statement(
  'insert_endpoint',
  `INSERT INTO webhook_endpoint (id, account_id, url, events, key_id, secret_sealed) VALUES ($1, $2, $3, $4, $5, $6)`,
);

export async function insertEndpoint(
  tx: Tx,
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    events: readonly EventType[];
    keyId: string | null;
    secretSealed: string;
  },
): Promise<void> {
  await tx.query(INSERT_ENDPOINT, [
    endpoint.id,
    endpoint.accountId,
    endpoint.url,
    endpoint.events,
    endpoint.keyId,
    endpoint.secretSealed,
  ]);
}
