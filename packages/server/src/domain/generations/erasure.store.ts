import { type Db, statement, type Tx } from '../../platform/db.ts';

const BEGIN = statement('begin_erasure', 'SELECT begin_erasure(p_account => $1, p_actor => $2) AS found');

export async function beginErasureRow(tx: Tx, options: { accountId: string; actor: string }): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(BEGIN, [options.accountId, options.actor]);
  return row?.found === true;
}

const QUEUED = statement(
  'queued_of_account',
  `SELECT id FROM generation WHERE account_id = $1 AND status = 'queued' AND completed_at IS NULL
   ORDER BY admitted, created_at DESC, id DESC LIMIT $2`,
);

/** Those that are not admitted first, newest first: canceling an admitted one would only admit the next one. */
export async function findQueued(db: Db, options: { accountId: string; limit: number }): Promise<string[]> {
  return (await db.query<{ id: string }>(QUEUED, [options.accountId, options.limit])).map((row) => row.id);
}

/** Walks the account's history by index from the given position: the cost of a batch does not depend on the position. */
const ERASE = statement(
  'erase_generations',
  `WITH batch AS (
     SELECT id, created_at FROM generation WHERE account_id = $1 AND (created_at, id) > ($2, $3)
     ORDER BY created_at, id LIMIT $4
   ), erased AS (
     UPDATE generation g SET params = '{}', effective = NULL, effect_text = NULL, project_id = NULL, idempotency_key = g.id::text,
       fingerprint = '\\x', submitted_target = NULL, submitted_handle = NULL,
       error_message = CASE WHEN error_code IS NOT NULL THEN '' END, erased_at = now()
     WHERE g.id = ANY (ARRAY(SELECT b.id FROM batch b)) AND g.account_id = $1
       AND (g.erased_at IS NULL OR g.idempotency_key <> g.id::text) AND g.completed_at IS NOT NULL
     RETURNING g.id
   ), forgotten AS (
     DELETE FROM run_failure f WHERE f.account_id = $1 AND f.generation_id = ANY (ARRAY(SELECT b.id FROM batch b))
   )
   SELECT (SELECT count(*) FROM erased) AS erased, b.id, to_char(b.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAt"
   FROM batch b ORDER BY b.created_at DESC, b.id DESC LIMIT 1`,
);

export interface HistoryPlace {
  readonly createdAt: string;
  readonly id: string;
}

/** Null if there was nothing after the position. */
export async function eraseBatch(
  tx: Tx,
  options: { accountId: string; after: HistoryPlace; limit: number },
): Promise<{ erased: number; last: HistoryPlace } | null> {
  const [row] = await tx.query<{ erased: number; id: string; createdAt: string }>(ERASE, [
    options.accountId,
    options.after.createdAt,
    options.after.id,
    options.limit,
  ]);
  return row === undefined ? null : { erased: row.erased, last: { createdAt: row.createdAt, id: row.id } };
}

const COUNT_LIVE = statement(
  'count_live_of_account',
  `SELECT count(*) AS live FROM generation WHERE account_id = $1 AND completed_at IS NULL`,
);

export async function countLive(db: Db, accountId: string): Promise<number> {
  const [row] = await db.query<{ live: number }>(COUNT_LIVE, [accountId]);
  return row?.live ?? 0;
}

// The idempotency key stays: without its fingerprint it still prevents a second generation.
const CLEAR_OLD = statement(
  'clear_old_generations',
  `WITH cleared AS (
     UPDATE generation g SET params = '{}', effective = NULL, effect_text = NULL, fingerprint = '\\x',
       submitted_target = NULL, submitted_handle = NULL,
       error_message = CASE WHEN g.error_code IS NOT NULL THEN '' END, erased_at = now()
     WHERE g.id = ANY (ARRAY(
       SELECT id FROM generation WHERE completed_at < now() - $1 * interval '1 day' AND erased_at IS NULL ORDER BY completed_at LIMIT $2))
     RETURNING g.id, g.account_id
   ), forgotten AS (
     DELETE FROM run_failure WHERE id = ANY (ARRAY(
       SELECT f.id FROM cleared c CROSS JOIN LATERAL (
         SELECT id FROM run_failure WHERE account_id = c.account_id AND generation_id = c.id OFFSET 0) f))
   ), unsent AS (
     -- The recorded requests of failed webhook attempts contain the params too.
     UPDATE attempt a SET sent_url = NULL, sent_signature = NULL, sent_body = NULL
     FROM cleared c JOIN event e ON e.generation_id = c.id JOIN delivery d ON d.event_id = e.id
     WHERE a.delivery_id = d.id AND a.sent_body IS NOT NULL
   )
   SELECT count(*)::int AS count FROM cleared`,
);

export async function clearOldGenerations(tx: Tx, options: { days: number; limit: number }): Promise<number> {
  const [row] = await tx.query<{ count: number }>(CLEAR_OLD, [options.days, options.limit]);
  return row?.count ?? 0;
}
