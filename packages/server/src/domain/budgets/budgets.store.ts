import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface BudgetRow {
  readonly id: string;
  readonly projectId: string | null;
  readonly coins: number;
  readonly alertPercents: readonly number[];
  /** First day of the month of the newest alert. */
  readonly alertedMonth: string | null;
  readonly alertedPercent: number | null;
  readonly createdAt: Date;
  /** When its settings were last changed, with all digits: it tells whether a budget is still the one that was read. */
  readonly changedAt: string;
}

/** A budget and what its project was charged in one month. */
export interface SpentBudget extends BudgetRow {
  /** First day of the month. */
  readonly month: string;
  readonly spentCoins: number;
  /** The last transfer that is counted. */
  readonly transferId: number;
}

const COLUMNS = `b.id, b.project_id AS "projectId", b.coins, b.alert_percents AS "alertPercents", b.alerted_month::text AS "alertedMonth",
     b.alerted_percent AS "alertedPercent", b.created_at AS "createdAt", b.changed_at::text AS "changedAt"`;

/**
 * One scan of the usage of the account since the first of these months, and one snapshot: a transfer up to the position is in the
 * sums. The empty text stands for no project, so that the sums are found by hashing; no project has an empty name.
 */
const SPENT = statement(
  'spent_budgets',
  `SELECT ${COLUMNS}, m.month::text AS month, coalesce(s.coins, 0) AS "spentCoins",
     coalesce((SELECT p.transfer_id FROM usage_position p WHERE p.account_id = $1), 0) AS "transferId"
   FROM budget b CROSS JOIN unnest($2::date[]) AS m (month) LEFT JOIN (
     SELECT date_trunc('month', u.day::timestamp)::date AS month, coalesce(u.project_id, '') AS project, sum(u.coins)::bigint AS coins
     FROM usage_day u WHERE u.account_id = $1 AND u.day >= ($2::date[])[1] GROUP BY 1, 2
   ) s ON s.month = m.month AND s.project = coalesce(b.project_id, '')
   WHERE b.account_id = $1 ORDER BY b.project_id NULLS FIRST, m.month`,
);

/** Each budget of the account once for each month, the oldest month first. */
export function findSpentBudgets(
  db: Db,
  query: { accountId: string; months: readonly string[] },
): Promise<SpentBudget[]> {
  return db.query<SpentBudget>(SPENT, [query.accountId, query.months]);
}

const FIND = statement('find_budget', `SELECT ${COLUMNS} FROM budget b WHERE b.account_id = $1 AND b.id = $2`);

export async function findBudget(db: Db | Tx, key: { accountId: string; budgetId: string }): Promise<BudgetRow | null> {
  const [row] = await db.query<BudgetRow>(FIND, [key.accountId, key.budgetId]);
  return row ?? null;
}

const LOCK = statement('lock_budgets', `SELECT pg_advisory_xact_lock(hashtextextended('budgets ' || $1, 0))`);
const COUNT = statement('count_budgets', 'SELECT count(*)::int AS count FROM budget WHERE account_id = $1');

/** Others who add a budget to this account wait. Submits and settlements do not. */
export async function lockAndCountBudgets(tx: Tx, accountId: string): Promise<number> {
  await tx.query(LOCK, [accountId]);
  const [row] = await tx.query<{ count: number }>(COUNT, [accountId]);
  return row?.count ?? 0;
}

const INSERT = statement(
  'insert_budget',
  `INSERT INTO budget (id, account_id, project_id, coins, alert_percents) VALUES ($2, $1, $3, $4, $5)
   ON CONFLICT ON CONSTRAINT budget_project DO NOTHING RETURNING id`,
);

/** False if the project has a budget. */
export async function insertBudget(
  tx: Tx,
  given: {
    accountId: string;
    id: string;
    projectId: string | null;
    coins: number;
    alertPercents: readonly number[];
  },
): Promise<boolean> {
  const { accountId, id, projectId, coins, alertPercents } = given;
  return (await tx.query(INSERT, [accountId, id, projectId, coins, alertPercents])).length > 0;
}

/** A changed budget is compared again, and reports again what it has reached. */
const UPDATE = statement(
  'update_budget',
  `UPDATE budget SET coins = coalesce($3, coins), alert_percents = coalesce($4, alert_percents),
     alerted_month = NULL, alerted_percent = NULL, checked_transfer_id = 0, changed_at = clock_timestamp()
   WHERE account_id = $1 AND id = $2 RETURNING id`,
);

export async function updateBudgetRow(
  tx: Tx,
  change: { accountId: string; budgetId: string; coins: number | null; alertPercents: readonly number[] | null },
): Promise<boolean> {
  const { accountId, budgetId, coins, alertPercents } = change;
  return (await tx.query(UPDATE, [accountId, budgetId, coins, alertPercents])).length > 0;
}

const DELETE = statement('delete_budget', 'DELETE FROM budget WHERE account_id = $1 AND id = $2 RETURNING id');

export async function deleteBudgetRow(tx: Tx, key: { accountId: string; budgetId: string }): Promise<boolean> {
  return (await tx.query(DELETE, [key.accountId, key.budgetId])).length > 0;
}

const FORGET = statement('forget_budgets', 'DELETE FROM budget WHERE account_id = $1');

export async function deleteBudgetsOfAccount(db: Db, accountId: string): Promise<void> {
  await db.query(FORGET, [accountId]);
}

/**
 * Accounts with transfers that a budget of theirs was not compared with; those that waited longest first. The order and the limit
 * keep each look at the transfers one entry of their index.
 */
const DUE = statement(
  'accounts_with_due_budgets',
  `SELECT b.account_id AS "accountId" FROM budget b
   CROSS JOIN LATERAL (
     SELECT t.id FROM transfer t WHERE t.account_id = b.account_id AND t.id > b.checked_transfer_id ORDER BY t.id LIMIT 1
   ) newer
   WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.id = b.account_id AND a.moved_to IS NOT NULL)
   GROUP BY b.account_id ORDER BY min(b.checked_at), b.account_id LIMIT $1`,
);

export async function findDueAccounts(db: Db, limit: number): Promise<string[]> {
  const rows = await db.query<{ accountId: string }>(DUE, [limit]);
  return rows.map(({ accountId }) => accountId);
}

/**
 * One caller gets each alert: a second one waits for the row, and then finds the month and the share in it. A budget that was changed
 * or deleted since it was read gives none.
 */
const CLAIM = statement(
  'claim_budget_alert',
  `UPDATE budget SET alerted_month = $4, alerted_percent = $5
   WHERE account_id = $1 AND id = $2 AND changed_at = $3::timestamptz
     AND (alerted_month IS NULL OR (alerted_month, alerted_percent) < ($4::date, $5::int)) RETURNING id`,
);

export async function claimAlert(
  tx: Tx,
  alert: { accountId: string; budgetId: string; changedAt: string; month: string; percent: number },
): Promise<boolean> {
  const { accountId, budgetId, changedAt, month, percent } = alert;
  return (await tx.query(CLAIM, [accountId, budgetId, changedAt, month, percent])).length > 0;
}

/** Leaves out those that were changed since they were read: they must be compared again. */
const MARK = statement(
  'mark_budgets_checked',
  `UPDATE budget b SET checked_transfer_id = greatest(b.checked_transfer_id, $4), checked_at = clock_timestamp()
   FROM unnest($2::uuid[], $3::text[]) AS j (id, changed_at)
   WHERE b.account_id = $1 AND b.id = j.id AND b.changed_at = j.changed_at::timestamptz`,
);

export async function markChecked(
  db: Db,
  checked: { accountId: string; budgets: readonly Pick<BudgetRow, 'id' | 'changedAt'>[]; transferId: number },
): Promise<void> {
  await db.query(MARK, [
    checked.accountId,
    checked.budgets.map(({ id }) => id),
    checked.budgets.map(({ changedAt }) => changedAt),
    checked.transferId,
  ]);
}
