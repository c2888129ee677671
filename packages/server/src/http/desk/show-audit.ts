import type { AuditEntry } from '@atelier/contract/desk';
import type { listAudit } from '../../domain/operator/list-audit.ts';
import { nameActors } from '../../domain/people/operators.ts';
import type { Services } from '../../domain/services.ts';

type Row = Awaited<ReturnType<typeof listAudit>>[number];

/** Entries of the audit log, with the address of those actors who are people. */
export async function showAudit(services: Pick<Services, 'db'>, rows: readonly Row[]): Promise<AuditEntry[]> {
  const people = await nameActors(
    services,
    rows.map(({ actor }) => actor),
  );
  return rows.map(({ at, actor, ...rest }) => ({
    ...rest,
    at: at.toISOString(),
    actor,
    person: people.get(actor) ?? null,
  }));
}
