import type { EndpointEvent } from '@atelier/contract/console';
import { type Db, statement, type Tx } from '../../../platform/db.ts';

export type EndpointStatus = 'active' | 'paused' | 'deleted';

export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EndpointEvent[];
  readonly keyId: string | null;
  readonly status: EndpointStatus;
  readonly statusReason: string | null;
  readonly failingSince: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = `id, url, events, key_id AS "keyId", status, status_reason AS "statusReason", failing_since AS "failingSince",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/**
 * The end of a generation locks the account before it selects endpoints. A change under the same lock is therefore seen
 * completely or not at all, and `updated_at`, read from the clock under the lock, tells which.
 */
const LOCK_ACCOUNT = statement('webhooks_lock_account', 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE');

export async function lockAccountRow(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.query(LOCK_ACCOUNT, [accountId])).length > 0;
}

const FIND_ENDPOINT = statement(
  'find_endpoint',
  `SELECT ${COLUMNS} FROM webhook_endpoint WHERE account_id = $1 AND id = $2 AND status <> 'deleted'`,
);

export async function findEndpoint(
  db: Db | Tx,
  key: { accountId: string; endpointId: string },
): Promise<EndpointRow | null> {
  const [row] = await db.query<EndpointRow>(FIND_ENDPOINT, [key.accountId, key.endpointId]);
  return row ?? null;
}

const FIND_ENDPOINTS = statement(
  'find_endpoints',
  `SELECT ${COLUMNS} FROM webhook_endpoint WHERE account_id = $1 AND status <> 'deleted' ORDER BY created_at, id`,
);

export function findEndpoints(db: Db | Tx, accountId: string): Promise<EndpointRow[]> {
  return db.query<EndpointRow>(FIND_ENDPOINTS, [accountId]);
}

const FIND_KEY = statement('webhooks_find_key', 'SELECT id FROM api_key WHERE account_id = $1 AND id = $2');

export async function isKeyOfAccount(tx: Tx, key: { accountId: string; keyId: string }): Promise<boolean> {
  return (await tx.query(FIND_KEY, [key.accountId, key.keyId])).length > 0;
}

const INSERT_ENDPOINT = statement(
  'insert_endpoint',
  `INSERT INTO webhook_endpoint (id, account_id, url, events, key_id, secret_sealed, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(), clock_timestamp())`,
);

export async function insertEndpoint(
  tx: Tx,
  endpoint: {
    id: string;
    accountId: string;
    url: string;
    events: readonly EndpointEvent[];
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

const UPDATE_ENDPOINT = statement(
  'update_endpoint',
  `UPDATE webhook_endpoint SET url = $3, events = $4, key_id = $5, updated_at = clock_timestamp()
   WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export async function updateEndpointRow(
  tx: Tx,
  endpoint: { accountId: string; id: string; url: string; events: readonly EndpointEvent[]; keyId: string | null },
): Promise<EndpointRow> {
  const [row] = await tx.query<EndpointRow>(UPDATE_ENDPOINT, [
    endpoint.accountId,
    endpoint.id,
    endpoint.url,
    endpoint.events,
    endpoint.keyId,
  ]);
  return row as EndpointRow;
}

/** A resumed endpoint starts without recorded failures; a deleted one has no secret. */
const SET_STATUS = statement(
  'set_endpoint_status',
  `UPDATE webhook_endpoint SET status = $3, status_reason = $4, updated_at = clock_timestamp(),
     failing_since = CASE WHEN $3 = 'active' THEN NULL ELSE failing_since END,
     secret_sealed = CASE WHEN $3 = 'deleted' THEN '' ELSE secret_sealed END
   WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
);

export async function setEndpointStatus(
  tx: Tx,
  change: { accountId: string; endpointId: string; status: EndpointStatus; reason: string | null },
): Promise<EndpointRow> {
  const [row] = await tx.query<EndpointRow>(SET_STATUS, [
    change.accountId,
    change.endpointId,
    change.status,
    change.reason,
  ]);
  return row as EndpointRow;
}

const SET_SECRET = statement(
  'set_endpoint_secret',
  'UPDATE webhook_endpoint SET secret_sealed = $3, updated_at = clock_timestamp() WHERE account_id = $1 AND id = $2',
);

export async function setEndpointSecret(
  tx: Tx,
  change: { accountId: string; endpointId: string; secretSealed: string },
): Promise<void> {
  await tx.query(SET_SECRET, [change.accountId, change.endpointId, change.secretSealed]);
}

/** The statuses are also named in the text: without them the plan, which is made once, expects any share of the deliveries. */
const STOP_WAITING = statement(
  'stop_waiting_deliveries',
  `UPDATE delivery SET status = 'stopped', reason = $3, next_at = NULL, finished_at = clock_timestamp()
   WHERE account_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'held') AND status = ANY ($4) RETURNING id`,
);

export async function stopDeliveries(
  tx: Tx,
  options: { accountId: string; endpointId: string; reason: string; statuses: ReadonlyArray<'pending' | 'held'> },
): Promise<number> {
  const { accountId, endpointId, reason, statuses } = options;
  return (await tx.query(STOP_WAITING, [accountId, endpointId, reason, statuses])).length;
}

/** Failing for the whole period and still failing: a single failure followed by inactivity is no reason to pause. */
const FIND_FAILING = statement(
  'find_failing_endpoints',
  `SELECT p.id AS "endpointId", p.account_id AS "accountId" FROM webhook_endpoint p CROSS JOIN LATERAL (
     SELECT true FROM delivery d CROSS JOIN LATERAL (
       SELECT true FROM attempt a WHERE a.delivery_id = d.id AND a.finished_at > now() - interval '1 day' LIMIT 1
     ) attempted
     WHERE d.endpoint_id = p.id AND d.created_at > now() - interval '3 days' ORDER BY d.created_at DESC LIMIT 1
   ) recent
   WHERE p.status = 'active' AND p.failing_since < now() - $1 * interval '1 day'
     AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = p.account_id AND a.moved_to IS NOT NULL)
   ORDER BY p.failing_since LIMIT $2`,
);

export function findFailingEndpoints(
  db: Db,
  options: { days: number; limit: number },
): Promise<Array<{ endpointId: string; accountId: string }>> {
  return db.query(FIND_FAILING, [options.days, options.limit]);
}
