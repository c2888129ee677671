import { withStatementTx } from '../../platform/db.ts';
import type { Services } from '../services.ts';
import { setRunLimitRow } from './runs.store.ts';

/** Changes how many generations of an account may run at once. More room is used at once; less applies to the next promotion. */
export async function setRunLimit(
  services: Pick<Services, 'db' | 'wake'>,
  options: { accountId: string; limit: number },
): Promise<void> {
  services.wake(await withStatementTx(services.db, (tx) => setRunLimitRow(tx, options)));
}
