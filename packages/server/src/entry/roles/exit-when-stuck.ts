import { checkDatabase, checkFreshConnection, type Db } from '../../platform/db.ts';
import type { Log } from '../../platform/log.ts';

const CHECK_INTERVAL_MS = 2_000;
/** The most that one round counts: after a process was suspended, the time until its next check says nothing. */
const MAX_ROUND_MS = 8_000;

export interface StuckOptions {
  readonly db: Db;
  readonly databaseUrl: string;
  readonly log: Log;
  /** Exit after this long without a response; 0 never exits. */
  readonly afterMs: number;
  /** When the roles of this process last got work done. */
  readonly lastWorkMs: ReadonlyArray<() => number>;
  readonly exit: () => void;
}

/**
 * Queries the database at regular intervals, so that dropped connections are found without traffic. A process whose
 * connections get no response while a new connection does cannot recover: it exits with a code that makes its supervisor
 * restart it. While the database does not respond at all it keeps running, because a restart would not help.
 */
export function exitWhenStuck(options: StuckOptions): { stop(): void } {
  const signs = [options.db.answers.lastMs, ...options.lastWorkMs];
  const seenMs = signs.map((sign) => sign());
  const silentMs = signs.map(() => 0);
  let checkedMs = performance.now();
  let isChecking = false;
  const check = async () => {
    if (isChecking) return;
    isChecking = true;
    await checkDatabase(options.db).catch(() => {});
    const roundMs = Math.min(performance.now() - checkedMs, MAX_ROUND_MS);
    checkedMs = performance.now();
    for (const [n, sign] of signs.entries()) {
      const lastMs = sign();
      silentMs[n] = lastMs > (seenMs[n] as number) ? 0 : (silentMs[n] as number) + roundMs;
      seenMs[n] = lastMs;
    }
    if (options.afterMs > 0 && silentMs.some((each) => each >= options.afterMs)) {
      const answered = await checkFreshConnection(options.databaseUrl).then(
        () => true,
        () => false,
      );
      if (answered) {
        options.log.error('database connections of this process are stuck: exiting');
        options.exit();
      }
    }
    isChecking = false;
  };
  const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
