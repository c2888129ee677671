import { type Db, statement, type Tx } from '../../platform/db.ts';
import type { PaymentEvent } from './payments.ts';

const LOCK_ACCOUNT = statement(
  'lock_paying_account',
  'SELECT owner_id AS "pairId", moved_to AS "movedTo" FROM account WHERE id = $1 FOR NO KEY UPDATE',
);
const ARRIVED_AT = statement(
  'find_arrival_of_pair',
  `SELECT coalesce(arrived_at, CASE WHEN state IN ('switched', 'forgotten') THEN changed_at END) AS "arrivedAt" FROM account_move WHERE pair_id = $1 AND direction = 'out' AND state <> 'canceled'
   ORDER BY started_at DESC LIMIT 1`,
);

/** Where an account is. */
export interface Whereabouts {
  readonly isHere: boolean;
  /** When its rows had arrived in the cell that it moved to; null while it is here or on its way. */
  readonly arrivedAt: Date | null;
}

/**
 * Locks the account, so that its events are handled one after the other and none while it departs. Null if there is no such account. Where
 * it went is read after the lock was waited for.
 */
export async function lockPayingAccount(tx: Tx, accountId: string): Promise<Whereabouts | null> {
  const [account] = await tx.query<{ pairId: string; movedTo: string | null }>(LOCK_ACCOUNT, [accountId]);
  if (account === undefined) return null;
  if (account.movedTo === null) return { isHere: true, arrivedAt: null };
  const [move] = await tx.query<{ arrivedAt: Date | null }>(ARRIVED_AT, [account.pairId]);
  return { isHere: false, arrivedAt: move?.arrivedAt ?? null };
}

const IS_ERASED = statement(
  'is_paying_account_erased',
  'SELECT erased_at IS NOT NULL AS erased FROM account WHERE id = $1',
);

export async function isErased(tx: Tx, accountId: string): Promise<boolean> {
  const [row] = await tx.query<{ erased: boolean }>(IS_ERASED, [accountId]);
  return row?.erased === true;
}

const IS_APPLIED = statement('is_payment_event_applied', 'SELECT 1 AS one FROM payment_event WHERE id = $1');

export async function isApplied(tx: Tx, eventId: string): Promise<boolean> {
  return (await tx.query(IS_APPLIED, [eventId])).length > 0;
}

const INSERT_EVENT = statement(
  'insert_payment_event',
  'INSERT INTO payment_event (id, type, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
);

export async function insertPaymentEvent(tx: Tx, event: PaymentEvent, accountId: string): Promise<void> {
  await tx.query(INSERT_EVENT, [event.id, event.type, accountId]);
}

const PARK = statement(
  'park_payment_event',
  `INSERT INTO parked_payment_event (id, account_id, event, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
);

export async function insertParked(tx: Tx, event: PaymentEvent, accountId: string): Promise<void> {
  await tx.query(PARK, [event.id, accountId, JSON.stringify(event), event.createdAt]);
}

// The payment first: refunds and disputes of it wait for it.
const FIND_PARKED = statement(
  'find_parked_of_accounts',
  `SELECT event FROM parked_payment_event WHERE account_id = ANY ($1::uuid[])
   ORDER BY event -> 'change' ->> 'kind' <> 'paid', created_at, id LIMIT $2`,
);

export async function findParked(
  db: Db | Tx,
  given: { accountIds: readonly string[]; limit: number },
): Promise<PaymentEvent[]> {
  const rows = await db.query<{ event: PaymentEvent }>(FIND_PARKED, [given.accountIds, given.limit]);
  return rows.map(({ event }) => ({ ...event, createdAt: new Date(event.createdAt) }));
}

const DELETE_PARKED = statement(
  'delete_parked_payment_event',
  'DELETE FROM parked_payment_event WHERE id = $1 RETURNING account_id AS "accountId"',
);

/** The account of the event; null if it was not parked. */
export async function deleteParked(tx: Tx, eventId: string): Promise<string | null> {
  const [row] = await tx.query<{ accountId: string }>(DELETE_PARKED, [eventId]);
  return row?.accountId ?? null;
}

export interface ParkedRow {
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly parkedAt: Date;
}

const LIST_PARKED = statement(
  'list_parked_payment_events',
  `SELECT id, event ->> 'type' AS type, account_id AS "accountId", created_at AS "createdAt", parked_at AS "parkedAt"
   FROM parked_payment_event ORDER BY parked_at, id LIMIT $1`,
);

export function listParkedRows(db: Db, limit: number): Promise<ParkedRow[]> {
  return db.query<ParkedRow>(LIST_PARKED, [limit]);
}
