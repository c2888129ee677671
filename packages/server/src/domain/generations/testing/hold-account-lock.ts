import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../platform/db.ts';

const POLL_MS = 10;
const WAIT_MS = 10_000;

/**
 * Holds an account's row until `waiters` statements wait, then lets them all go: what each of them read before the wait is
 * old by then. This makes a race happen every time. Answers when they were let go; the caller awaits its own calls.
 */
export async function holdAccountLock(
  db: Db,
  options: { accountId: string; waiters: number; start: () => void },
): Promise<void> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [options.accountId]);
    options.start();
    const deadlineMs = Date.now() + WAIT_MS;
    for (;;) {
      // From another connection: a transaction sees one picture of the activity.
      const { rows } = await db.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if ((rows[0]?.waiting ?? 0) >= options.waiters) break;
      if (Date.now() > deadlineMs) throw new Error(`${rows[0]?.waiting} of ${options.waiters} statements came to wait`);
      await sleep(POLL_MS);
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
