import { type Db, statement } from '../../platform/db.ts';
import type { AccountListRow } from './accounts.store.ts';
import type { AccountMode } from './caller.ts';

const COLUMNS = `id, mode, name, available, held, run_limit AS "runLimit", locked_at IS NOT NULL AS locked`;

const BY_IDS = statement(
  'accounts_by_ids',
  `SELECT ${COLUMNS} FROM account WHERE id = ANY ($1::uuid[]) ORDER BY id DESC LIMIT $2`,
);

export function findAccountsByIds(
  db: Db,
  options: { ids: readonly string[]; limit: number },
): Promise<AccountListRow[]> {
  return db.query<AccountListRow>(BY_IDS, [options.ids, options.limit]);
}

// The newest accounts alone: the cost is bounded, however many there are.
const BY_NAME = statement(
  'accounts_by_name',
  `SELECT * FROM (SELECT ${COLUMNS} FROM account ORDER BY id DESC LIMIT $3) a
   WHERE strpos(lower(a.name), lower($1)) > 0 ORDER BY a.id DESC LIMIT $2`,
);

export function findAccountsByName(
  db: Db,
  options: { part: string; limit: number; scanned: number },
): Promise<AccountListRow[]> {
  return db.query<AccountListRow>(BY_NAME, [options.part, options.limit, options.scanned]);
}

export interface OperatorAccountRow extends AccountListRow {
  readonly mode: AccountMode;
  readonly raisedLimit: number | null;
  readonly rateLimit: number;
  readonly lockedReason: string | null;
  readonly createdAt: Date;
}

const ONE = statement(
  'account_of_operator',
  `SELECT ${COLUMNS}, raised_limit AS "raisedLimit", rate_limit AS "rateLimit", locked_reason AS "lockedReason",
     created_at AS "createdAt" FROM account WHERE id = $1`,
);

export async function findOperatorAccount(db: Db, accountId: string): Promise<OperatorAccountRow | null> {
  const [row] = await db.query<OperatorAccountRow>(ONE, [accountId]);
  return row ?? null;
}
