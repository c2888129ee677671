import { statement, type Tx } from '../../platform/db.ts';

const LOCK_ACCOUNT = statement('ledger_lock_account', 'SELECT id FROM account WHERE id = $1 FOR UPDATE');

export async function lockAccountRow(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.query(LOCK_ACCOUNT, [accountId])).length > 0;
}

const INSERT_TRANSFER = statement(
  'insert_transfer',
  `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
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
  },
): Promise<void> {
  await tx.query(INSERT_TRANSFER, [
    transfer.accountId,
    transfer.kind,
    transfer.debit,
    transfer.credit,
    transfer.amount,
    transfer.actor,
    transfer.reason,
  ]);
}
