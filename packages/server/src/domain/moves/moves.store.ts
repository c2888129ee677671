import { type Db, statement, type Tx } from '../../platform/db.ts';

type MoveState = 'frozen' | 'departed' | 'switched' | 'forgotten' | 'canceled' | 'arrived';

export interface MoveRow {
  readonly id: string;
  readonly pairId: string;
  /** The other cell. */
  readonly cell: string;
  readonly state: MoveState;
  readonly checksum: string | null;
  /** Seconds since the state changed. */
  readonly age: number;
}

export interface PairAccount {
  readonly id: string;
  readonly ownerId: string;
  readonly available: number;
  readonly held: number;
  readonly slots: number;
  readonly movingTo: string | null;
  readonly movedTo: string | null;
}

const ACCOUNT = `id, owner_id AS "ownerId", available, held, slots, moving_to AS "movingTo", moved_to AS "movedTo"`;
const FIND_PAIR = statement(
  'find_moving_pair',
  `SELECT ${ACCOUNT} FROM account WHERE owner_id = (SELECT owner_id FROM account WHERE id = $1) ORDER BY id`,
);

/** Both accounts of the owner of this one; none if there is no such account. */
export function findPair(db: Db, accountId: string): Promise<PairAccount[]> {
  return db.query<PairAccount>(FIND_PAIR, [accountId]);
}

const LOCK_PAIR = statement(
  'lock_moving_pair',
  `SELECT ${ACCOUNT} FROM account WHERE owner_id = $1 ORDER BY id FOR UPDATE`,
);

export function lockPair(tx: Tx, pairId: string): Promise<PairAccount[]> {
  return tx.query<PairAccount>(LOCK_PAIR, [pairId]);
}

const MOVE = `id, pair_id AS "pairId", cell, state, checksum, extract(epoch FROM now() - changed_at)::float8 AS age`;
const FIND_OPEN = statement(
  'find_open_move',
  `SELECT ${MOVE} FROM account_move WHERE pair_id = $1 AND direction = 'out' AND state IN ('frozen', 'departed', 'switched')`,
);

/** The move of a pair away from this cell that is not over; null if there is none. */
export async function findOpenMove(db: Db | Tx, pairId: string): Promise<MoveRow | null> {
  const [row] = await db.query<MoveRow>(FIND_OPEN, [pairId]);
  return row ?? null;
}

const INSERT_MOVE = statement(
  'insert_move',
  'INSERT INTO account_move (id, pair_id, direction, cell, state, checksum) VALUES ($1, $2, $3, $4, $5, $6)',
);

export async function insertMove(
  tx: Tx,
  move: Pick<MoveRow, 'id' | 'pairId' | 'cell' | 'state' | 'checksum'> & { direction: 'out' | 'in' },
): Promise<void> {
  await tx.query(INSERT_MOVE, [move.id, move.pairId, move.direction, move.cell, move.state, move.checksum]);
}

const FIND_MOVE = statement('find_move', `SELECT ${MOVE} FROM account_move WHERE id = $1`);

export async function findMove(db: Db | Tx, id: string): Promise<MoveRow | null> {
  const [row] = await db.query<MoveRow>(FIND_MOVE, [id]);
  return row ?? null;
}

const SET_STATE = statement(
  'set_move_state',
  `UPDATE account_move SET state = $3, checksum = coalesce($4, checksum), changed_at = now(),
     arrived_at = CASE WHEN $3 = 'switched' THEN now() ELSE arrived_at END
   WHERE id = $1 AND state = $2 RETURNING id`,
);

/** False if the state is not the expected one. */
export async function setMoveState(
  tx: Tx,
  change: { id: string; from: MoveState; to: MoveState; checksum?: string },
): Promise<boolean> {
  const rows = await tx.query(SET_STATE, [change.id, change.from, change.to, change.checksum ?? null]);
  return rows.length > 0;
}

const SET_MOVING = statement('set_moving', 'UPDATE account SET moving_to = $2, moved_to = $3 WHERE owner_id = $1');

export async function setMoving(
  tx: Tx,
  change: { pairId: string; movingTo: string | null; movedTo: string | null },
): Promise<void> {
  await tx.query(SET_MOVING, [change.pairId, change.movingTo, change.movedTo]);
}

const COUNT_LIVE = statement(
  'count_live_of_pair',
  'SELECT count(*)::int AS count FROM generation WHERE account_id = ANY ($1::uuid[]) AND completed_at IS NULL',
);

/** Generations that are queued or running. */
export async function countLive(db: Db | Tx, accountIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_LIVE, [accountIds]);
  return row?.count ?? 0;
}

const INSERT_CLOSING = statement(
  'insert_move_transfer',
  `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason, reference)
   VALUES ($1, 'adjust', $2, $3, $4, $5, $6, $7)`,
);

/** Moves coins between an account and the place `moved`: positive ones to the account. */
export async function moveCoins(
  tx: Tx,
  move: { accountId: string; coins: number; actor: string; reason: string; reference: string },
): Promise<void> {
  if (move.coins === 0) return;
  const [debit, credit] = move.coins > 0 ? ['moved', 'available'] : ['available', 'moved'];
  await tx.query(INSERT_CLOSING, [
    move.accountId,
    debit,
    credit,
    Math.abs(move.coins),
    move.actor,
    move.reason,
    move.reference,
  ]);
}

const NET_MOVED = statement(
  'net_moved_coins',
  `SELECT coalesce(sum(CASE WHEN credit = 'moved' THEN amount ELSE -amount END), 0)::bigint AS coins FROM transfer
   WHERE account_id = $1 AND kind = 'adjust' AND (debit = 'moved' OR credit = 'moved')`,
);

/** What the account took to another cell and has not brought back. */
export async function findNetMoved(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ coins: number }>(NET_MOVED, [accountId]);
  return row?.coins ?? 0;
}

const PENDING_OF = `endpoint_id IN (SELECT id FROM webhook_endpoint WHERE account_id = ANY ($1::uuid[])) AND status = 'pending'`;
const STOP_PENDING = statement(
  'stop_pending_of_pair',
  `UPDATE delivery SET job_id = gen_random_uuid() WHERE ${PENDING_OF}`,
);

/** Takes the jobs from pending deliveries: a job with another id than that of its delivery does nothing. */
export async function stopPending(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await tx.query(STOP_PENDING, [accountIds]);
}

const RESUME_PENDING = statement(
  'resume_pending_of_pair',
  `WITH resumed AS (
     UPDATE delivery SET job_id = gen_random_uuid() WHERE ${PENDING_OF} RETURNING id, round, attempts, job_id, next_at
   )
   SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => r.job_id,
     p_data => jsonb_build_object('deliveryId', r.id, 'round', r.round, 'attempt', r.attempts + 1), p_start_after => r.next_at)
   FROM resumed r`,
);

/** Gives every pending delivery a job for its time. */
export async function resumePending(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await tx.query(RESUME_PENDING, [accountIds]);
}

const RAISE_EPOCH = statement('raise_event_epoch', 'SELECT raise_event_epoch(p_above => $1) AS epoch');
const EPOCH = statement('moving_event_epoch', 'SELECT epoch FROM event_epoch');

export async function readEpoch(db: Db): Promise<number> {
  const [row] = await db.query<{ epoch: number }>(EPOCH);
  return (row as { epoch: number }).epoch;
}

export async function raiseEpoch(db: Db, above: number): Promise<void> {
  await db.query(RAISE_EPOCH, [above]);
}

const VERSION = statement(
  'moving_schema_version',
  'SELECT (SELECT max(name) FROM migration) AS name, (SELECT hash FROM function_set) AS hash',
);

/** The same text in two databases of the same version. */
export async function readSchemaVersion(db: Db): Promise<string> {
  const [row] = await db.query<{ name: string; hash: string }>(VERSION);
  return `${row?.name} ${row?.hash}`;
}

const LEFTOVERS = statement(
  'find_leftovers_of_pair',
  `SELECT EXISTS (SELECT 1 FROM api_key WHERE account_id = ANY ($1::uuid[]))
     OR EXISTS (SELECT 1 FROM generation WHERE account_id = ANY ($1::uuid[])) AS found`,
);

/** Whether rows of an earlier stay were not deleted. */
export async function hasLeftovers(db: Db | Tx, accountIds: readonly string[]): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(LEFTOVERS, [accountIds]);
  return row?.found === true;
}

const FORGET = statement('forget_moved_pair', 'SELECT forget_moved_pair(p_pair => $1) AS generations');

export async function forgetPair(tx: Tx, pairId: string): Promise<number> {
  const [row] = await tx.query<{ generations: number }>(FORGET, [pairId]);
  return row?.generations ?? 0;
}

export interface MovingFile {
  readonly objectKey: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  readonly variants: Readonly<Record<string, { key: string; bytes: number; mimeType: string }>>;
}

const FILES = statement(
  'find_files_of_pair',
  `SELECT object_key AS "objectKey", mime_type AS "mimeType", bytes, encode(sha256, 'hex') AS sha256, variants FROM asset
   WHERE account_id = ANY ($1::uuid[])`,
);

export function findFilesOfPair(db: Db | Tx, accountIds: readonly string[]): Promise<MovingFile[]> {
  return db.query<MovingFile>(FILES, [accountIds]);
}

const DIRECTORY_KEYS = statement(
  'find_directory_keys',
  `SELECT encode(hash, 'hex') AS hash, prefix FROM api_key WHERE account_id = ANY ($1::uuid[]) ORDER BY hash`,
);

/** All keys of the accounts: revoked ones too, so that their cell can say so. */
export function findDirectoryKeys(
  db: Db,
  accountIds: readonly string[],
): Promise<Array<{ hash: string; prefix: string }>> {
  return db.query(DIRECTORY_KEYS, [accountIds]);
}
