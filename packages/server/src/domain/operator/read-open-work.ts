import type { Db } from '../../platform/db.ts';
import { type BooksCheckRow, findBooksCheck } from './books-check.store.ts';
import { type BacklogRow, findBacklog, findPoolState, type PoolRow } from './open-work.store.ts';

/** Counts stop here, so that reading them never becomes expensive. */
export const MAX_COUNTED = 50_000;
const CACHE_MS = 10_000;

export interface OpenWork {
  readonly pools: readonly PoolRow[];
  readonly backlog: BacklogRow;
  /** The last `verify`; null if there was none. */
  readonly books: BooksCheckRow | null;
}

/**
 * The amount of open work in the installation. Read at most every ten seconds, for any number of calls, and by one query at
 * a time; null while the database is unavailable.
 */
export function createOpenWorkReader(services: { db: Db }): () => Promise<OpenWork | null> {
  let reading: Promise<OpenWork | null> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<OpenWork | null> => {
    try {
      const pools = await findPoolState(services.db, { limit: MAX_COUNTED });
      const backlog = await findBacklog(services.db, { limit: MAX_COUNTED });
      return { pools, backlog, books: await findBooksCheck(services.db) };
    } catch {
      return null;
    } finally {
      readAtMs = performance.now();
    }
  };
  let settled = true;
  return () => {
    if (reading === undefined || (settled && performance.now() - readAtMs >= CACHE_MS)) {
      settled = false;
      reading = read().finally(() => {
        settled = true;
      });
    }
    return reading;
  };
}
