import type pg from 'pg';

/** pg's message for a statement that was not answered in time. */
export const READ_TIMEOUT = 'Query read timeout';

export interface PoolAnswers {
  /** When the server last answered through this pool, in monotonic milliseconds. */
  lastMs(): number;
}

/**
 * Records when the server last answered, and drops all idle connections when a statement times out. A network failure
 * affects every connection: trying them one by one would cost a timeout each.
 */
export function watchPoolAnswers(pool: pg.Pool): PoolAnswers {
  const idle = new Set<pg.PoolClient>();
  let lastMs = performance.now();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  // A boolean says whether the connection is dropped.
  pool.on('release', (error: Error | boolean | undefined, client) => {
    if (error === true) return;
    if (error === undefined || error === null || error === false) {
      idle.add(client);
      lastMs = performance.now();
      return;
    }
    // An error with an SQL state is an answer too.
    if (/^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))) lastMs = performance.now();
    if (!error.message.startsWith(READ_TIMEOUT)) return;
    // Without a termination message, which would not arrive: the pool removes a client whose socket closed.
    for (const each of idle) each.connection.stream.destroy();
    idle.clear();
  });
  return { lastMs: () => lastMs };
}
