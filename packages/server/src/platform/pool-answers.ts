import type pg from 'pg';

/** pg's own words for a statement that was not answered in time. */
export const READ_TIMEOUT = 'Query read timeout';

export interface PoolAnswers {
  /** When the server last answered through this pool, on the process's monotonic scale. */
  lastMs(): number;
}

/**
 * Notes when the server last answered, and drops all idle connections when one statement got no answer. A network that
 * goes silent takes every connection with it: trying them one by one would cost a timeout each.
 */
export function watchPoolAnswers(pool: pg.Pool): PoolAnswers {
  const idle = new Set<pg.PoolClient>();
  let lastMs = performance.now();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error: Error | undefined, client) => {
    if (error === undefined || error === null) {
      idle.add(client);
      lastMs = performance.now();
      return;
    }
    // An error with an SQL state is an answer too.
    if (/^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))) lastMs = performance.now();
    if (!error.message.startsWith(READ_TIMEOUT)) return;
    // Without a goodbye, which nobody would answer: the pool forgets a client whose socket closed.
    for (const each of idle) each.connection.stream.destroy();
    idle.clear();
  });
  return { lastMs: () => lastMs };
}
