import pg from 'pg';

/** `now()` and its siblings in this schema are found before those of PostgreSQL, and add what the clock was told. */
const SCHEMA = 'told_clock';
const SEARCH_PATH = `public, ${SCHEMA}, pg_catalog`;

/** How often the processes of such a sandbox read the time. */
export const CLOCK_CHECK_SECONDS = 1;

const FUNCTIONS = [
  ['now', 'STABLE'],
  ['transaction_timestamp', 'STABLE'],
  ['statement_timestamp', 'STABLE'],
  ['clock_timestamp', 'VOLATILE'],
];

/** Gives a new, empty database of a sandbox a clock that can be told. The service takes its time from the database. */
export async function createToldClock(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await client.query(`CREATE SCHEMA ${SCHEMA}`);
    await client.query(`CREATE TABLE ${SCHEMA}.ahead (seconds float8 NOT NULL)`);
    await client.query(`INSERT INTO ${SCHEMA}.ahead VALUES (0)`);
    for (const [name, volatility] of FUNCTIONS) {
      await client.query(
        `CREATE FUNCTION ${SCHEMA}.${name}() RETURNS timestamptz LANGUAGE sql ${volatility} AS
         'SELECT pg_catalog.${name}() + pg_catalog.make_interval(secs => (SELECT seconds FROM ${SCHEMA}.ahead))'`,
      );
    }
    await client.query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO PUBLIC`);
    await client.query(`GRANT SELECT ON ${SCHEMA}.ahead TO PUBLIC`);
    await client.query(`ALTER DATABASE ${new URL(ownerUrl).pathname.slice(1)} SET search_path = ${SEARCH_PATH}`);
  });
}

/** What names its own clock, once migrations have created it: functions with a search path, and the queue. */
export async function useToldClock(ownerUrl: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await client.query(
      `DO $$ DECLARE f regprocedure; BEGIN
         FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace
           AND EXISTS (SELECT FROM unnest(proconfig) c WHERE c LIKE 'search_path=%')
         LOOP EXECUTE format('ALTER FUNCTION %s SET search_path = ${SEARCH_PATH}, pg_temp', f); END LOOP;
       END $$`,
    );
    await client.query(
      `CREATE OR REPLACE FUNCTION pgboss.job_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT ${SCHEMA}.now()'`,
    );
  });
}

/** Moves the clock forward. */
export async function advanceToldClock(ownerUrl: string, seconds: number): Promise<void> {
  await withClient(ownerUrl, (client) => client.query(`UPDATE ${SCHEMA}.ahead SET seconds = seconds + $1`, [seconds]));
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
