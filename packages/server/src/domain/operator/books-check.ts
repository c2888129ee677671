import type { Services } from '../services.ts';
import { isBooksCheckOlder, putBooksCheck } from './books-check.store.ts';

/** Stores the outcome of a whole `verify` for the metrics. False if it cannot, for example on a read-only copy. */
export async function recordBooksCheck(
  services: Pick<Services, 'db'>,
  outcome: { checks: number; violations: number },
): Promise<boolean> {
  try {
    await putBooksCheck(services.db, outcome);
    return true;
  } catch {
    return false;
  }
}

/** Whether the last `verify` is longer ago, or there was none. */
export function isBooksCheckDue(services: Pick<Services, 'db'>, options: { everyHours: number }): Promise<boolean> {
  return isBooksCheckOlder(services.db, options.everyHours);
}
