import { type Db, statement, type Tx } from '../../platform/db.ts';

const LOCK_ACCOUNT = statement('ledger_lock_account', 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE');

export async function lockAccountRow(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.query(LOCK_ACCOUNT, [accountId])).length > 0;
}

const INSERT_TRANSFER = statement(
  'insert_transfer',
  `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason, reference)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
);

export async function insertTransfer(
  tx: Tx,
  transfer: {
    accountId: string;
    kind: 'grant' | 'adjust';
    debit: string;
    credit: string;
    amount: number;
    actor: string;
    reason: string;
    reference: string | null;
  },
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(INSERT_TRANSFER, [
    transfer.accountId,
    transfer.kind,
    transfer.debit,
    transfer.credit,
    transfer.amount,
    transfer.actor,
    transfer.reason,
    transfer.reference,
  ]);
  return (row as { id: number }).id;
}

export interface TransferRow {
  readonly id: number;
  readonly createdAt: Date;
  readonly kind: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: number;
  readonly generationId: string | null;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly reference: string | null;
}

const COLUMNS = `id, created_at AS "createdAt", kind, debit, credit, amount, generation_id AS "generationId", actor, reason, reference`;

const BY_REFERENCE = statement(
  'transfer_by_reference',
  `SELECT ${COLUMNS} FROM transfer WHERE account_id = $1 AND reference = $2`,
);

export async function findByReference(
  tx: Tx,
  options: { accountId: string; reference: string },
): Promise<TransferRow | null> {
  const [row] = await tx.query<TransferRow>(BY_REFERENCE, [options.accountId, options.reference]);
  return row ?? null;
}

const AVAILABLE = statement('ledger_available', 'SELECT available FROM account WHERE id = $1');

export async function findAvailable(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ available: number }>(AVAILABLE, [accountId]);
  return (row as { available: number }).available;
}

const TRANSFERS = statement(
  'transfers_of_account',
  `SELECT ${COLUMNS} FROM transfer WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
);

export function findTransfers(db: Db, options: { accountId: string; limit: number }): Promise<TransferRow[]> {
  return db.query<TransferRow>(TRANSFERS, [options.accountId, options.limit]);
}

export interface LedgerDbRow extends Omit<TransferRow, 'actor' | 'reason'> {
  readonly modelName: string | null;
  readonly projectId: string | null;
  /** The available coins of the account now. */
  readonly available: number;
}

/** Larger than every id. */
const FROM_NEWEST = '9223372036854775807';

/** The page is selected first, by the index of the account's transfers, and each generation is looked up by its key. */
const LEDGER_ROWS = statement(
  'ledger_rows',
  `SELECT t.id, t.created_at AS "createdAt", t.kind, t.debit, t.credit, t.amount, t.generation_id AS "generationId", t.reference,
     g.model_name AS "modelName", g.project_id AS "projectId", a.available
   FROM (
     SELECT * FROM transfer WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
   ) t JOIN account a ON a.id = $1 LEFT JOIN LATERAL (
     SELECT n.model_name, n.project_id FROM generation n WHERE n.account_id = $1 AND n.id = t.generation_id OFFSET 0
   ) g ON true ORDER BY t.id DESC`,
);

export function findLedgerRows(
  db: Db,
  options: { accountId: string; before: number | null; limit: number },
): Promise<LedgerDbRow[]> {
  return db.query<LedgerDbRow>(LEDGER_ROWS, [options.accountId, options.before ?? FROM_NEWEST, options.limit]);
}
