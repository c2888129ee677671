import { type Db, statement, type Tx } from '../../../platform/db.ts';

export interface PrefixRow {
  /** Empty for the layout of the first version. */
  readonly prefix: string;
  readonly owner: string;
  /** Set while the marker changes from `owner` to this value. */
  readonly nextOwner: string | null;
  /** Whether this database claimed it: false in a restored copy. */
  readonly claimed: boolean;
  readonly marked: boolean;
  readonly refusal: string | null;
}

const OPEN_PREFIX = statement('open_key_prefix', 'SELECT open_key_prefix(p_cell => $1) AS prefix');

export async function openPrefix(db: Db, cell: string): Promise<string> {
  const [row] = await db.query<{ prefix: string }>(OPEN_PREFIX, [cell]);
  return (row as { prefix: string }).prefix;
}

const FIND_PREFIXES = statement(
  'find_bucket_prefixes',
  `SELECT p.prefix, p.owner, p.next_owner AS "nextOwner", p.claimed_by = database_identity() AS claimed, p.marked_at IS NOT NULL AS marked, r.reason AS refusal
   FROM bucket_prefix p LEFT JOIN sweep_refusal r USING (prefix) ORDER BY p.prefix`,
);

export function findPrefixes(db: Db): Promise<PrefixRow[]> {
  return db.query<PrefixRow>(FIND_PREFIXES);
}

const SAVE_MARKED = statement(
  'save_bucket_marked',
  'UPDATE bucket_prefix SET marked_at = now() WHERE prefix = $1 AND owner = $2',
);

export async function saveMarked(db: Db, { prefix, owner }: Pick<PrefixRow, 'prefix' | 'owner'>): Promise<void> {
  await db.query(SAVE_MARKED, [prefix, owner]);
}

const BEGIN_RENEWAL = statement(
  'begin_bucket_renewal',
  'UPDATE bucket_prefix SET next_owner = $3 WHERE prefix = $1 AND owner = $2 AND next_owner IS NULL RETURNING prefix',
);
const END_RENEWAL = statement(
  'end_bucket_renewal',
  'UPDATE bucket_prefix SET owner = next_owner, next_owner = NULL WHERE prefix = $1 AND next_owner = $2',
);

/** False if another process has begun a renewal. */
export async function beginRenewal(
  db: Db,
  row: { prefix: string; owner: string; nextOwner: string },
): Promise<boolean> {
  return (await db.query(BEGIN_RENEWAL, [row.prefix, row.owner, row.nextOwner])).length > 0;
}

export async function endRenewal(db: Db, row: { prefix: string; nextOwner: string }): Promise<void> {
  await db.query(END_RENEWAL, [row.prefix, row.nextOwner]);
}

const CLAIM = statement(
  'claim_bucket_prefix',
  `UPDATE bucket_prefix SET owner = $2, next_owner = NULL, claimed_by = database_identity(), marked_at = now() WHERE prefix = $1`,
);

export async function claimPrefix(tx: Tx, claim: { prefix: string; owner: string }): Promise<void> {
  await tx.query(CLAIM, [claim.prefix, claim.owner]);
  await tx.query(CLEAR_REFUSAL, [claim.prefix]);
}

const SAVE_REFUSAL = statement(
  'save_sweep_refusal',
  `INSERT INTO sweep_refusal (prefix, reason) VALUES ($1, $2)
   ON CONFLICT (prefix) DO UPDATE SET reason = excluded.reason WHERE sweep_refusal.reason <> excluded.reason`,
);
const CLEAR_REFUSAL = statement('clear_sweep_refusal', 'DELETE FROM sweep_refusal WHERE prefix = $1');

/** A null reason clears the refusal. */
export async function saveRefusal(db: Db, refusal: { prefix: string; reason: string | null }): Promise<void> {
  if (refusal.reason === null) await db.query(CLEAR_REFUSAL, [refusal.prefix]);
  else await db.query(SAVE_REFUSAL, [refusal.prefix, refusal.reason]);
}
