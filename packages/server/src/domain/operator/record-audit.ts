import type { Tx } from '../../platform/db.ts';
import { type AuditEntry, insertAudit } from './operator.store.ts';

/** One row for each manual change, in the transaction of the change. It contains ids and numbers, no personal content. */
export function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  return insertAudit(tx, entry);
}
