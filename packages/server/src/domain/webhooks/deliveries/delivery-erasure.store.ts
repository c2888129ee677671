import { type Db, statement, type Tx } from '../../../platform/db.ts';

const FIND_IDS = statement(
  'endpoint_ids_of_account',
  'SELECT id FROM webhook_endpoint WHERE account_id = $1 ORDER BY id',
);

/** Includes deleted endpoints: their log still exists. */
export async function findEndpointIds(db: Db, accountId: string): Promise<string[]> {
  return (await db.query<{ id: string }>(FIND_IDS, [accountId])).map(({ id }) => id);
}

export interface DeliveryPlace {
  readonly createdAt: string;
  readonly id: string;
}

/** Walks the log of an endpoint by index from the given position. */
const ERASE = statement(
  'erase_deliveries',
  `WITH batch AS (
     SELECT id, created_at FROM delivery WHERE account_id = $1 AND endpoint_id = $2 AND (created_at, id) > ($3, $4)
     ORDER BY created_at, id LIMIT $5
   ), attempts AS (
     UPDATE attempt a SET excerpt = NULL, sent_url = NULL, sent_signature = NULL, sent_body = NULL,
       error = CASE WHEN a.error IS NOT NULL THEN 'erased' END
     WHERE a.delivery_id = ANY (ARRAY(SELECT b.id FROM batch b)) AND (a.excerpt IS NOT NULL OR a.error IS NOT NULL OR a.sent_body IS NOT NULL)
   ), ended AS (
     UPDATE delivery d SET status = CASE WHEN d.status IN ('pending', 'held') THEN 'stopped' ELSE d.status END,
       reason = CASE WHEN d.reason IS NOT NULL OR d.status IN ('pending', 'held') THEN 'erased' END,
       notice = jsonb_set(d.notice, '{data,budget,projectId}', 'null'), next_at = NULL, finished_at = coalesce(d.finished_at, now())
     WHERE d.id = ANY (ARRAY(SELECT b.id FROM batch b)) AND (d.reason IS NOT NULL OR d.notice IS NOT NULL OR d.status IN ('pending', 'held'))
   )
   SELECT (SELECT count(*) FROM batch)::int AS erased, b.id, to_char(b.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAt"
   FROM batch b ORDER BY b.created_at DESC, b.id DESC LIMIT 1`,
);

/** Null if there was nothing after the position. */
export async function eraseDeliveryBatch(
  tx: Tx,
  options: { accountId: string; endpointId: string; after: DeliveryPlace; limit: number },
): Promise<{ erased: number; last: DeliveryPlace } | null> {
  const { accountId, endpointId, after, limit } = options;
  const [row] = await tx.query<{ erased: number; id: string; createdAt: string }>(ERASE, [
    accountId,
    endpointId,
    after.createdAt,
    after.id,
    limit,
  ]);
  return row === undefined ? null : { erased: row.erased, last: { createdAt: row.createdAt, id: row.id } };
}
