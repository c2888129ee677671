import pg from 'pg';
import { type Db, HALF_OPEN_GUARD, statement } from '../platform/db.ts';

const CHANNEL = 'atelier_wake';
/** A payload is limited to 8,000 bytes; no name is longer than 60. */
const MAX_NAMES_AT_ONCE = 100;
const MAX_RECONNECT_DELAY_MS = 2_000;
/** A listener sends nothing by itself, so it could not tell a dropped connection from an idle one. */
const CHECK_INTERVAL_MS = 5_000;
const CHECK_TIMEOUT_MS = 3_000;
const NOTIFY = statement('wake', 'SELECT pg_notify($1, $2)');

/** Names of queues with new jobs, and of runs whose backend reported progress. */
export type Wake = (names: readonly string[]) => void;

/**
 * Notifies workers of waiting jobs. It runs after the commit, on a separate connection, and combines concurrent calls:
 * NOTIFY inside the transaction would serialize all commits. A lost wake costs one poll interval.
 */
export function createWake(db: Db): Wake {
  const waiting = new Set<string>();
  let sending = false;
  const flush = async () => {
    sending = true;
    while (waiting.size > 0) {
      const names = [...waiting].slice(0, MAX_NAMES_AT_ONCE);
      for (const name of names) waiting.delete(name);
      const payload = names.join(',');
      await db.query(NOTIFY, [CHANNEL, payload]).catch(() => {});
    }
    sending = false;
  };
  return (queues) => {
    for (const queue of queues) waiting.add(queue);
    if (!sending && waiting.size > 0) void flush();
  };
}

/** Listens for wakes and reconnects after database restarts. */
export function listenForWakes(options: {
  url: string;
  onWake: (name: string) => void;
  onError: (error: Error) => void;
}): {
  close(): Promise<void>;
} {
  let client: pg.Client | undefined;
  let closed = false;
  let delayMs = 50;
  let checks: NodeJS.Timeout | undefined;
  const connect = async () => {
    if (closed) return;
    const next = new pg.Client({
      connectionString: options.url,
      application_name: 'atelier-wake',
      ...HALF_OPEN_GUARD,
      query_timeout: CHECK_TIMEOUT_MS,
    });
    client = next;
    const again = (error?: Error) => {
      if (closed || client !== next) return;
      client = undefined;
      clearInterval(checks);
      if (error !== undefined) options.onError(error);
      void next.end().catch(() => {});
      delayMs = Math.min(delayMs * 2, MAX_RECONNECT_DELAY_MS);
      setTimeout(() => void connect(), delayMs).unref();
    };
    next.on('error', again);
    next.on('end', () => again());
    next.on('notification', (message) => {
      for (const name of (message.payload ?? '').split(',')) options.onWake(name);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
      delayMs = 50;
      if (closed) return;
      checks = setInterval(() => void next.query(`LISTEN ${CHANNEL}`).catch(again), CHECK_INTERVAL_MS);
      checks.unref();
    } catch (error) {
      again(error as Error);
    }
  };
  void connect();
  return {
    async close() {
      closed = true;
      clearInterval(checks);
      await client?.end().catch(() => {});
    },
  };
}
