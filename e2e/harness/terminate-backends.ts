import pg from 'pg';

/** Terminates connections of the service, like a failover. Returns how many. */
export async function terminateBackends(
  superuserUrl: string,
  options: { database: string; share: number },
): Promise<number> {
  const client = new pg.Client({ connectionString: superuserUrl, application_name: 'terminator' });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity
       WHERE datname = $1 AND application_name LIKE 'atelier-%' AND random() < $2`,
      [options.database, options.share],
    );
    return rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
