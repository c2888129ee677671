import { setTimeout as sleep } from 'node:timers/promises';
import { holdTransaction } from '../../../../../../test/database.ts';
import type { Db } from '../../../platform/db.ts';

const POLL_MS = 10;
const WAIT_MS = 10_000;

/**
 * Locks an account's row until `waiters` statements wait for it, then releases the lock: what each of them read before the
 * wait is stale. This makes a race deterministic. Returns after the release; the caller awaits its own calls.
 */
export async function holdAccountLock(
  db: Db,
  options: { accountId: string; waiters: number; start: () => void },
): Promise<void> {
  await holdTransaction(db, async (client) => {
    await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [options.accountId]);
    options.start();
    const deadlineMs = Date.now() + WAIT_MS;
    for (;;) {
      // From another connection: a transaction sees one snapshot of the activity.
      const { rows } = await db.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if ((rows[0]?.waiting ?? 0) >= options.waiters) break;
      if (Date.now() > deadlineMs) throw new Error(`${rows[0]?.waiting} of ${options.waiters} statements wait`);
      await sleep(POLL_MS);
    }
  });
}
