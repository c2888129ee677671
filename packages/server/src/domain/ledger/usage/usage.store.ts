import { type Db, statement, type Tx } from '../../../platform/db.ts';

const PENDING = statement(
  'usage_pending',
  `SELECT EXISTS (SELECT 1 FROM transfer t WHERE t.account_id = $1
     AND t.id > coalesce((SELECT p.transfer_id FROM usage_position p WHERE p.account_id = $1), 0)) AS pending`,
);

/** Whether the account has transfers that are not counted yet. */
export async function hasPendingUsage(db: Db, accountId: string): Promise<boolean> {
  const [row] = await db.query<{ pending: boolean }>(PENDING, [accountId]);
  return row?.pending === true;
}

const BEGIN = statement(
  'begin_usage',
  'INSERT INTO usage_position (account_id, transfer_id) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);
const LOCK = statement(
  'lock_usage',
  'SELECT transfer_id AS "transferId" FROM usage_position WHERE account_id = $1 FOR UPDATE',
);

/** Others who count this account wait. Submits and settlements do not. Null if an erasure removed the position meanwhile. */
export async function lockUsagePosition(tx: Tx, accountId: string): Promise<number | null> {
  await tx.query(BEGIN, [accountId]);
  const [row] = await tx.query<{ transferId: number }>(LOCK, [accountId]);
  return row?.transferId ?? null;
}

/** The next transfers after the position, and what they charged. OFFSET 0 keeps each generation a lookup by key. */
const COUNT = statement(
  'count_usage',
  `WITH batch AS MATERIALIZED (
     SELECT t.id, t.kind, t.amount, t.generation_id, t.created_at FROM transfer t
     WHERE t.account_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3
   ), counted AS (
     INSERT INTO usage_day AS u (account_id, day, model_id, key_id, project_id, model_name, generations, coins)
     SELECT $1, (b.created_at AT TIME ZONE 'UTC')::date, g.model_id, g.key_id, g.project_id, max(g.model_name), count(*), sum(b.amount)::bigint
     FROM batch b CROSS JOIN LATERAL (
       SELECT n.model_id, n.key_id, n.project_id, n.model_name FROM generation n WHERE n.account_id = $1 AND n.id = b.generation_id OFFSET 0
     ) g
     WHERE b.kind = 'capture' GROUP BY 2, 3, 4, 5
     ON CONFLICT ON CONSTRAINT usage_day_group DO UPDATE
       SET generations = u.generations + excluded.generations, coins = u.coins + excluded.coins, model_name = excluded.model_name
   ), moved AS (
     UPDATE usage_position p SET transfer_id = b.last FROM (SELECT max(id) AS last FROM batch) b
     WHERE p.account_id = $1 AND b.last IS NOT NULL
   )
   SELECT count(*)::int AS count FROM batch`,
);

/** Returns how many transfers it read. The caller holds the position. */
export async function countUsage(
  tx: Tx,
  options: { accountId: string; after: number; limit: number },
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(COUNT, [options.accountId, options.after, options.limit]);
  return row?.count ?? 0;
}

export interface UsageRow {
  readonly kind: 'total' | 'day' | 'model' | 'key' | 'project';
  readonly id: string | null;
  readonly name: string | null;
  readonly coins: number;
  readonly generations: number;
  /** How many stored rows it is the sum of. */
  readonly rows: number;
}

/** One scan of the newest rows of the period, at most $4, grouped five ways; of each way but the days, the $5 largest groups. */
const USAGE = statement(
  'usage_of_account',
  `WITH used AS MATERIALIZED (
     SELECT day, model_id, key_id, project_id, model_name, generations, coins FROM usage_day
     WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date ORDER BY day DESC LIMIT $4
   ), grouped AS (
     SELECT CASE grouping(day, model_id, key_id, project_id)
         WHEN 7 THEN 'day' WHEN 11 THEN 'model' WHEN 13 THEN 'key' WHEN 14 THEN 'project' ELSE 'total' END AS kind,
       day, model_id, key_id, project_id, max(model_name) AS model_name,
       sum(coins)::bigint AS coins, sum(generations)::bigint AS generations, count(*)::int AS rows
     FROM used GROUP BY GROUPING SETS ((day), (model_id), (key_id), (project_id), ())
   ), ranked AS (
     SELECT g.*, row_number() OVER (PARTITION BY kind ORDER BY coins DESC, day, model_id, key_id, project_id) AS place FROM grouped g
   )
   SELECT r.kind,
     CASE r.kind WHEN 'day' THEN r.day::text WHEN 'model' THEN r.model_id WHEN 'key' THEN r.key_id::text WHEN 'project' THEN r.project_id END AS id,
     CASE r.kind WHEN 'model' THEN r.model_name WHEN 'key' THEN k.name END AS name,
     coalesce(r.coins, 0) AS coins, coalesce(r.generations, 0) AS generations, r.rows
   FROM ranked r LEFT JOIN api_key k ON r.kind = 'key' AND k.id = r.key_id AND k.account_id = $1
   WHERE r.kind = 'day' OR r.place <= $5
   ORDER BY r.kind, CASE WHEN r.kind = 'day' THEN r.day END, r.place`,
);

export function findUsage(
  db: Db,
  query: { accountId: string; from: string; to: string; maxRows: number; maxGroups: number },
): Promise<UsageRow[]> {
  return db.query<UsageRow>(USAGE, [query.accountId, query.from, query.to, query.maxRows, query.maxGroups]);
}

const FORGET = statement('forget_usage', 'DELETE FROM usage_day WHERE account_id = $1');
const FORGET_POSITION = statement('forget_usage_position', 'DELETE FROM usage_position WHERE account_id = $1');

/** The next request counts the account again. The caller holds the position. */
export async function deleteUsage(tx: Tx, accountId: string): Promise<void> {
  await tx.query(FORGET, [accountId]);
  await tx.query(FORGET_POSITION, [accountId]);
}
