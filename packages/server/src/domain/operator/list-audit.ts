import type { Db } from '../../platform/db.ts';
import { type AuditFilter, type AuditRow, findAudit } from './operator.store.ts';

/** Who changed what, newest first. */
export function listAudit(services: { db: Db }, filter: AuditFilter): Promise<AuditRow[]> {
  return findAudit(services.db, filter);
}
