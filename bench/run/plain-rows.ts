import { randomBytes } from 'node:crypto';
import { type Db, statement } from '@atelier/server/platform/db.ts';
import { newId } from '@atelier/server/platform/ids.ts';
import { COINS } from './fill-generations.ts';

/** As the settler and the pump: ends in batches of 50, starts in batches of up to 100. A lane uses one connection. */
const BATCH = 50;
const BATCH_LANES = 2;
const SINGLE_LANES = 20;
const START_BATCH = 100;
const TABLES = ['account', 'key_month', 'generation', 'hold', 'transfer', 'asset', 'event'] as const;

interface PlainGeneration {
  readonly id: string;
  readonly accountId: string;
  /** The waiting generation that its end promotes. */
  readonly next: string | null;
}

/**
 * The rows that the run of a generation writes, in tables with the same columns, indexes and storage settings as ours, but
 * without constraints, triggers and functions: what PostgreSQL itself needs for them.
 */
export interface PlainRows {
  /** Copies what was submitted and not started. Returns the work. */
  fill(): Promise<PlainGeneration[]>;
  /** Starts and ends each, with one commit per end or per batch of ends. */
  run(work: readonly PlainGeneration[]): Promise<void>;
}

export async function createPlainRows(
  dbs: { owner: Db; db: Db },
  options: { schema: string; batched: boolean },
): Promise<PlainRows> {
  const { owner, db } = dbs;
  const { schema, batched } = options;
  await owner.pool.query(`CREATE SCHEMA ${schema}`);
  const jobTable = await readJobTable(owner);
  for (const [name, source] of [...TABLES.map((table) => [table, `public.${table}`]), ['job', jobTable]] as const) {
    const { rows } = await owner.pool.query(
      'SELECT array_to_string(reloptions, $2) AS settings FROM pg_class WHERE oid = $1::regclass',
      [source, ', '],
    );
    const settings = rows[0].settings === null ? '' : `WITH (${rows[0].settings})`;
    await owner.pool.query(
      `CREATE TABLE ${schema}.${name} (LIKE ${source} INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES INCLUDING STORAGE) ${settings}`,
    );
  }
  await owner.pool.query(`GRANT USAGE ON SCHEMA ${schema} TO atelier_app`);
  await owner.pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO atelier_app`);
  await owner.pool.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO atelier_app`);
  const start = statement(`${schema}_start`, startText(schema));
  const end = statement(`${schema}_end`, endText(schema));

  const runLane = async (lane: readonly PlainGeneration[]) => {
    const size = batched ? BATCH : 1;
    const client = await db.pool.connect();
    try {
      // Planning would cost more than writing.
      await client.query('SET plan_cache_mode = force_generic_plan');
      for (let from = 0; from < lane.length; from += START_BATCH) {
        const started = lane.slice(from, from + START_BATCH);
        await client.query({ ...start, values: [started.map(({ id }) => id)] });
        for (let n = 0; n < started.length; n += size) {
          const ends = started.slice(n, n + size);
          const ids = ends.map(({ id }) => id);
          const next = ends.map((each) => each.next);
          await client.query({ ...end, values: [ids, next, ids.map(() => newId()), ids.map(() => randomBytes(32))] });
        }
      }
      await client.query('RESET plan_cache_mode');
    } finally {
      client.release();
    }
  };
  return {
    async fill() {
      await copyQueued(owner, schema, jobTable);
      return readWork(owner, schema);
    },
    async run(work) {
      // The generations of an account stay in one lane and in order, so that none ends before it is promoted.
      const lanes: PlainGeneration[][] = Array.from({ length: batched ? BATCH_LANES : SINGLE_LANES }, () => []);
      const laneOf = new Map<string, PlainGeneration[]>();
      for (const each of work) {
        const lane = laneOf.get(each.accountId) ?? (lanes[laneOf.size % lanes.length] as PlainGeneration[]);
        laneOf.set(each.accountId, lane);
        lane.push(each);
      }
      await Promise.all(lanes.map(runLane));
    },
  };
}

async function readJobTable(owner: Db): Promise<string> {
  const { rows } = await owner.pool.query(
    `SELECT format('pgboss.%I', table_name) AS name FROM pgboss.queue WHERE name = 'run-simulator'`,
  );
  return rows[0].name;
}

async function copyQueued(owner: Db, schema: string, jobTable: string): Promise<void> {
  const queued = `SELECT id FROM public.generation WHERE status = 'queued'`;
  await owner.pool.query(
    `INSERT INTO ${schema}.account SELECT * FROM public.account ON CONFLICT DO NOTHING;
     INSERT INTO ${schema}.key_month SELECT * FROM public.key_month ON CONFLICT DO NOTHING;
     INSERT INTO ${schema}.generation SELECT * FROM public.generation WHERE id IN (${queued});
     INSERT INTO ${schema}.hold SELECT * FROM public.hold WHERE generation_id IN (${queued});
     INSERT INTO ${schema}.job SELECT * FROM ${jobTable} WHERE id IN (${queued});
     ANALYZE ${[...TABLES, 'job'].map((table) => `${schema}.${table}`).join(', ')}`,
  );
}

/** By turn, then by account. The end of a generation promotes the one that is four turns later. */
async function readWork(owner: Db, schema: string): Promise<PlainGeneration[]> {
  const { rows } = await owner.pool.query(
    `SELECT id, account_id AS "accountId", CASE WHEN NOT later THEN next END AS next FROM (
       SELECT id, account_id, lead(id, 4) OVER w AS next, lead(admitted, 4) OVER w AS later, row_number() OVER w AS turn
       FROM ${schema}.generation WHERE status = 'queued' WINDOW w AS (PARTITION BY account_id ORDER BY created_at, id)) g
     ORDER BY turn, account_id`,
  );
  return rows;
}

const startText = (schema: string) => `
  WITH fetched AS (
    UPDATE ${schema}.job SET state = 'active', started_on = now(), heartbeat_on = now() WHERE name = 'run-simulator' AND id = ANY ($1)
  )
  UPDATE ${schema}.generation SET status = 'processing', attempt = attempt + 1, worker = 'bench', started_at = now(),
    deadline_at = now() + interval '5 minutes' WHERE id = ANY ($1)`;

const endText = (schema: string) => `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[]) AS g (id, next, asset, sha256)
  ), ended AS (
    UPDATE ${schema}.generation g SET status = 'succeeded', completed_at = now(), progress = 1, coins_charged = ${COINS}
    FROM given WHERE g.id = given.id RETURNING g.id, g.account_id, g.key_id, given.asset, given.sha256
  ), stored AS (
    INSERT INTO ${schema}.asset (id, account_id, source, generation_id, position, kind, mime_type, bytes, sha256, width, height,
      object_key, variants, expires_at)
    SELECT asset, account_id, 'output', id, 0, 'image', 'image/png', 1, sha256, 1, 1, 'bench/' || asset, '{}', now() + interval '30 days' FROM ended
  ), closed AS (
    UPDATE ${schema}.hold h SET captured = ${COINS}, closed_at = now() FROM ended WHERE h.generation_id = ended.id
    RETURNING h.key_id, h.month
  ), moved AS (
    INSERT INTO ${schema}.transfer (account_id, kind, debit, credit, amount, generation_id)
    SELECT account_id, 'capture', 'held', 'revenue', ${COINS}, id FROM ended
  ), folded AS (
    UPDATE ${schema}.account a SET held = a.held - f.coins
    FROM (SELECT account_id, count(*) * ${COINS} AS coins FROM ended GROUP BY 1) f WHERE a.id = f.account_id
  ), booked AS (
    UPDATE ${schema}.key_month m SET reserved = m.reserved - c.coins, spent = m.spent + c.coins
    FROM (SELECT key_id, month, count(*) * ${COINS} AS coins FROM closed GROUP BY 1, 2) c WHERE m.key_id = c.key_id AND m.month = c.month
  ), recorded AS (
    INSERT INTO ${schema}.event (id, account_id, generation_id, type, created_at, epoch)
    SELECT gen_random_uuid(), account_id, id, 'generation.succeeded', now(), 1 FROM ended
  ), promoted AS (
    UPDATE ${schema}.generation g SET admitted = true FROM given WHERE g.id = given.next RETURNING g.id
  ), queued AS (
    INSERT INTO ${schema}.job (id, name, data, keep_until) SELECT id, 'run-simulator', jsonb_build_object('generationId', id), now() + interval '14 days'
    FROM promoted
  )
  UPDATE ${schema}.job SET state = 'completed', completed_on = now() WHERE name = 'run-simulator' AND id = ANY ($1)`;
