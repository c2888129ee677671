import { type Db, isContention } from '../../platform/db.ts';
import { findViolations, type InvariantId, invariants, type Retention } from './invariants.store.ts';

export interface CheckResult {
  readonly id: string;
  readonly claim: string;
  readonly violations: number;
  readonly first: readonly object[];
  readonly durationMs: number;
}

const DEFAULT_RETENTION: Retention = { eventRetentionDays: 30, outputRetentionDays: 90 };

export interface BoundedCheck extends Omit<CheckResult, 'violations'> {
  /** Null if there was no time to check it. */
  readonly violations: number | null;
}

/** Checks the invariants in turn until the time is used up. One whose statement takes too long counts as not checked. */
export async function verifyBooksWithin(
  services: { db: Db },
  { limitMs, retention }: { limitMs: number; retention: Retention },
): Promise<BoundedCheck[]> {
  const results: BoundedCheck[] = [];
  const endMs = performance.now() + limitMs;
  for (const id of Object.keys(invariants) as InvariantId[]) {
    const startedMs = performance.now();
    const found = startedMs < endMs ? await tryViolations(services.db, id, retention) : null;
    results.push({
      id,
      claim: invariants[id].claim,
      violations: found?.count ?? null,
      first: found?.first ?? [],
      durationMs: Math.round(performance.now() - startedMs),
    });
  }
  return results;
}

async function tryViolations(db: Db, id: InvariantId, retention: Retention) {
  try {
    return await findViolations(db, id, retention);
  } catch (error) {
    if (isContention(error)) return null;
    throw error;
  }
}

/** Checks every invariant in turn, with the retention settings of the service. */
export async function verifyBooks(
  services: { db: Db },
  retention: Retention = DEFAULT_RETENTION,
  signal?: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const id of Object.keys(invariants) as InvariantId[]) {
    signal?.throwIfAborted();
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
