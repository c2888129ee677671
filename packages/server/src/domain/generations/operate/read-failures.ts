import type { Services } from '../../services.ts';
import { isServed, readServingFacts } from '../run/serving.ts';
import {
  type FailureCauseRow,
  type FailureRow,
  findFailureCauses,
  findNewestFailures,
  findOldestOpen,
} from './operate.store.ts';

const SCANNED_FAILURES = 10_000;
const SCANNED_OPEN = 2_000;
const MAX_CAUSES = 20;
const MAX_FAILURES = 100;
const MAX_STUCK = 20;

/** Why runs of the last day failed, most frequent first, and how many. */
export async function listFailureCauses(
  services: Pick<Services, 'db'>,
): Promise<{ failed: number; causes: FailureCauseRow[] }> {
  const rows = await findFailureCauses(services.db, SCANNED_FAILURES);
  return { failed: rows.reduce((sum, { count }) => sum + count, 0), causes: rows.slice(0, MAX_CAUSES) };
}

/** The newest failures with the provider's own message: for the operator alone. */
export function listNewestFailures(
  services: Pick<Services, 'db'>,
  filter: { code?: string | undefined; modelId?: string | undefined },
): Promise<FailureRow[]> {
  return findNewestFailures(services.db, {
    code: filter.code ?? null,
    modelId: filter.modelId ?? null,
    limit: MAX_FAILURES,
    scanned: SCANNED_FAILURES,
  });
}

export interface StuckWork {
  readonly generationId: string;
  readonly accountId: string;
  readonly modelId: string;
  readonly pool: string;
  readonly reason: 'overdue' | 'no_worker';
  readonly since: Date;
}

/** Accepted work that does not get on: runs past their deadline, and generations that no worker serves. */
export async function listStuckWork(services: Pick<Services, 'db' | 'catalog' | 'offers'>): Promise<StuckWork[]> {
  const facts = readServingFacts(services);
  const rows = await findOldestOpen(services.db, SCANNED_OPEN);
  return rows
    .flatMap(({ createdAt, deadlineAt, overdue, ...row }): StuckWork[] => {
      if (overdue) return [{ ...row, reason: 'overdue', since: deadlineAt ?? createdAt }];
      return deadlineAt === null && !isServed(row, facts) ? [{ ...row, reason: 'no_worker', since: createdAt }] : [];
    })
    .slice(0, MAX_STUCK);
}
