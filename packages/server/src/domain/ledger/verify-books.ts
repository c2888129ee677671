import type { Db } from '../../platform/db.ts';
import { findViolations, type InvariantId, invariants, type Retention } from './invariants.store.ts';

export interface CheckResult {
  readonly id: string;
  readonly claim: string;
  readonly violations: number;
  readonly first: readonly object[];
  readonly durationMs: number;
}

const DEFAULT_RETENTION: Retention = { eventRetentionDays: 30, outputRetentionDays: 90 };

/** Checks every invariant in turn, with the retention settings of the service. */
export async function verifyBooks(
  services: { db: Db },
  retention: Retention = DEFAULT_RETENTION,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const id of Object.keys(invariants) as InvariantId[]) {
    const startedMs = performance.now();
    const { count, first } = await findViolations(services.db, id, retention);
    results.push({
      id,
      claim: invariants[id].claim,
      violations: count,
      first,
      durationMs: Math.round(performance.now() - startedMs),
    });
  }
  return results;
}
