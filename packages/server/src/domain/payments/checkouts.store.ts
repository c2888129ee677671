import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface CheckoutRow {
  readonly id: string;
  readonly accountId: string;
  readonly status: 'open' | 'paid' | 'expired';
  readonly amount: number;
  readonly currency: string;
  readonly coins: number;
  readonly coinsTaken: number;
  readonly createdAt: Date;
}

const COLUMNS = `id, account_id AS "accountId", status, amount, currency, coins, coins_taken AS "coinsTaken", created_at AS "createdAt"`;

const COUNT_OPEN = statement(
  'count_open_checkouts',
  `SELECT count(*)::int AS count FROM checkout
   WHERE account_id = $1 AND status = 'open' AND created_at > now() - interval '1 day'`,
);

/** Unfinished checkouts of the last day, after which the provider ends them. */
export async function countOpenCheckouts(db: Db, accountId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_OPEN, [accountId]);
  return row?.count ?? 0;
}

const INSERT = statement(
  'insert_checkout',
  `INSERT INTO checkout (id, account_id, amount, currency, coins)
   SELECT $2, a.id, $3, $4, $5 FROM account a WHERE a.id = $1 AND a.mode = 'live' RETURNING id`,
);

/** False if the account does not exist or is a test account. */
export async function insertCheckout(
  tx: Tx,
  given: { accountId: string; id: string; amount: number; currency: string; coins: number },
): Promise<boolean> {
  const { accountId, id, amount, currency, coins } = given;
  return (await tx.query(INSERT, [accountId, id, amount, currency, coins])).length > 0;
}

const FIND = statement('find_checkout', `SELECT ${COLUMNS} FROM checkout WHERE account_id = $1 AND id = $2`);

export async function findCheckout(db: Db, given: { accountId: string; id: string }): Promise<CheckoutRow | null> {
  const [row] = await db.query<CheckoutRow>(FIND, [given.accountId, given.id]);
  return row ?? null;
}

/** Where an event belongs: both may name a checkout. */
export interface CheckoutNames {
  readonly checkoutId: string | null;
  readonly paymentRef: string | null;
}

const ACCOUNT_OF = statement(
  'find_account_of_payment',
  `SELECT account_id AS "accountId" FROM checkout WHERE id = $1
   UNION ALL SELECT account_id FROM checkout WHERE payment_ref = $2 LIMIT 1`,
);

/** The names come from a signed event of the provider, which may name no account. */
export async function findAccountOfPayment(db: Db | Tx, names: CheckoutNames): Promise<string | null> {
  const [row] = await db.query<{ accountId: string }>(ACCOUNT_OF, [names.checkoutId, names.paymentRef]);
  return row?.accountId ?? null;
}

const FIND_NAMED = statement(
  'find_named_checkout',
  `SELECT ${COLUMNS} FROM checkout WHERE account_id = $1 AND (id = $2 OR payment_ref = $3) ORDER BY id = $2 DESC LIMIT 1`,
);

/** Its account is locked. */
export async function findNamedCheckout(
  tx: Tx,
  { accountId, checkoutId, paymentRef }: CheckoutNames & { accountId: string },
): Promise<CheckoutRow | null> {
  const [row] = await tx.query<CheckoutRow>(FIND_NAMED, [accountId, checkoutId, paymentRef]);
  return row ?? null;
}

const PAID_OF = statement(
  'find_paid_checkouts',
  `SELECT ${COLUMNS} FROM checkout WHERE account_id = $1 AND status = 'paid' ORDER BY id`,
);

export function findPaidCheckouts(tx: Tx, accountId: string): Promise<CheckoutRow[]> {
  return tx.query<CheckoutRow>(PAID_OF, [accountId]);
}

const SET_PAID = statement(
  'set_checkout_paid',
  `UPDATE checkout SET status = 'paid', payment_ref = $2, transfer_id = $3, paid_at = now() WHERE id = $1`,
);

export async function setCheckoutPaid(
  tx: Tx,
  given: { id: string; paymentRef: string; transferId: number },
): Promise<void> {
  await tx.query(SET_PAID, [given.id, given.paymentRef, given.transferId]);
}

const EXPIRE = statement('expire_checkout', `UPDATE checkout SET status = 'expired' WHERE id = $1 AND status = 'open'`);

export async function expireCheckout(tx: Tx, id: string): Promise<void> {
  await tx.query(EXPIRE, [id]);
}

const EXPIRE_OPEN = statement(
  'expire_open_checkouts',
  `UPDATE checkout SET status = 'expired' WHERE account_id = $1 AND status = 'open'`,
);

export async function expireOpenCheckouts(db: Db, accountId: string): Promise<void> {
  await db.query(EXPIRE_OPEN, [accountId]);
}

const SAVE_REFUND = statement(
  'save_payment_refund',
  `INSERT INTO payment_refund AS r (payment_ref, amount) VALUES ($1, $2)
   ON CONFLICT (payment_ref) DO UPDATE SET amount = greatest(r.amount, excluded.amount)`,
);

/** The total of the payment only grows, so an old event that arrives late changes nothing. */
export async function saveRefund(tx: Tx, refund: { paymentRef: string; amount: number }): Promise<void> {
  await tx.query(SAVE_REFUND, [refund.paymentRef, refund.amount]);
}

const SAVE_DISPUTE = statement(
  'save_payment_dispute',
  `INSERT INTO payment_dispute AS d (id, payment_ref, amount, is_taken, is_final, as_of) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, is_taken = excluded.is_taken, is_final = excluded.is_final, as_of = excluded.as_of
   WHERE (excluded.is_final, excluded.as_of) >= (d.is_final, d.as_of)`,
);

/** An event that is older than what is known changes nothing, nor does an open state after a final one. */
export async function saveDispute(
  tx: Tx,
  dispute: { id: string; paymentRef: string; amount: number; isTaken: boolean; isFinal: boolean; asOf: Date },
): Promise<void> {
  const { id, paymentRef, amount, isTaken, isFinal, asOf } = dispute;
  await tx.query(SAVE_DISPUTE, [id, paymentRef, amount, isTaken, isFinal, asOf]);
}

const TAKEN_DISPUTES = statement(
  'taken_disputes_of_account',
  `SELECT d.id FROM payment_dispute d JOIN checkout c USING (payment_ref) WHERE c.account_id = $1 AND d.is_taken`,
);

/** The disputes of an account whose money the provider holds or has taken. */
export async function findTakenDisputes(tx: Tx, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(TAKEN_DISPUTES, [accountId]);
  return new Set(rows.map(({ id }) => id));
}

/** The share of the coins that was refunded or is disputed, rounded down: the customer keeps the rest of a coin. */
const COINS_TO_TAKE = statement(
  'coins_to_take',
  `SELECT floor(c.coins::numeric * least(c.amount, coalesce(r.amount, 0) + coalesce(d.amount, 0)) / c.amount)::bigint AS coins
   FROM checkout c LEFT JOIN payment_refund r ON r.payment_ref = c.payment_ref LEFT JOIN LATERAL (
     SELECT sum(amount) AS amount FROM payment_dispute WHERE payment_ref = c.payment_ref AND is_taken
   ) d ON true WHERE c.id = $1`,
);

export async function findCoinsToTake(tx: Tx, checkoutId: string): Promise<number> {
  const [row] = await tx.query<{ coins: number }>(COINS_TO_TAKE, [checkoutId]);
  return row?.coins ?? 0;
}

const SET_TAKEN = statement('set_coins_taken', 'UPDATE checkout SET coins_taken = $2 WHERE id = $1');

export async function setCoinsTaken(tx: Tx, given: { id: string; coins: number }): Promise<void> {
  await tx.query(SET_TAKEN, [given.id, given.coins]);
}
