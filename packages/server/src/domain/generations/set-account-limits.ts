import { withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { type AccountLimits, putAccountLimits, setRunLimitRow } from './run/runs.store.ts';

/** Changes the limits of an account; omitted ones stay. A higher run limit applies at once, a lower one to the next promotion. */
export async function setAccountLimits(
  services: Pick<Services, 'db' | 'wake'>,
  options: {
    accountId: string;
    runLimit?: number;
    raisedLimit?: number | null;
    rateLimit?: number;
    actor: string;
    reason?: string;
  },
): Promise<AccountLimits> {
  const { accountId, actor, ...changes } = options;
  const { limits, wake } = await withTx(services.db, async (tx) => {
    // Locks the account first, to keep the global lock order.
    const found = await putAccountLimits(tx, options);
    if (found === null) throw new Problem('not_found', 'There is no such account.');
    const woken =
      options.runLimit === undefined ? [] : await setRunLimitRow(tx, { accountId, limit: options.runLimit });
    await recordAudit(tx, { actor, action: 'account.limits_changed', accountId, detail: changes });
    return { limits: { ...found, runLimit: options.runLimit ?? found.runLimit }, wake: woken };
  });
  services.wake(wake);
  return limits;
}
