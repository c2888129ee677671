import type { Db } from '../../platform/db.ts';
import { findViolations, type InvariantId, invariants } from './invariants.store.ts';

export interface CheckResult {
  readonly id: string;
  readonly claim: string;
  readonly violations: number;
  readonly first: readonly object[];
  readonly durationMs: number;
}

/** Every invariant, one after the other. */
export async function verifyBooks(services: { db: Db }): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const id of Object.keys(invariants) as InvariantId[]) {
    const startedMs = performance.now();
    const { count, first } = await findViolations(services.db, id);
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
