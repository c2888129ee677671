import type { Db } from '../../platform/db.ts';
import { isBooksCheckDue, recordBooksCheck } from '../operator/books-check.ts';
import type { Services } from '../services.ts';
import { verifyBooks } from './verify-books.ts';

const EVERY_HOURS = 24;

/**
 * Checks the books unless they were checked within a day, also by an operator's `verify`. So an installation that is new, or does
 * not run at night, is checked within an hour of its start.
 */
export async function verifyBooksDaily(
  services: Pick<Services, 'db' | 'limits' | 'log'> & { readonly slowDb: Db },
  signal: AbortSignal,
): Promise<void> {
  if (!(await isBooksCheckDue(services, { everyHours: EVERY_HOURS }))) return;
  const results = await verifyBooks({ db: services.slowDb }, services.limits, signal);
  const broken = results.filter(({ violations }) => violations > 0);
  for (const { id, claim, violations } of broken) {
    services.log.error('invariant of the books broken: run verify', { reason: `${id}: ${claim}`, count: violations });
  }
  const violations = broken.reduce((sum, each) => sum + each.violations, 0);
  if (!(await recordBooksCheck(services, { checks: results.length, violations }))) {
    throw new Error('the outcome of the check of the books was not stored');
  }
}
