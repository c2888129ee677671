import type pg from 'pg';

/** One account has a tenth of all generations and the queue; the others share the rest. */
export interface HistorySize {
  readonly generations: number;
  readonly accounts: number;
  /** Generations of the large account that wait for a slot. */
  readonly waiting: number;
}

const SHARE_OF_LARGE = 10;
const RUN_LIMIT = 20;
const GRANT = 1_000_000_000;
/** Accounts besides the large one with one generation that runs and one that waits for a worker. */
const BUSY_ACCOUNTS = 50;
const TABLES = ['generation', 'hold', 'transfer', 'event', 'asset', 'delivery', 'attempt', 'run_failure'];

/** Ids are made from numbers, so that every table can be filled alone. */
const idOf = (kind: number, number: string) =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const ACCOUNT = 1;
const GENERATION = 2;
const EVENT = 3;
const ASSET = 4;
const DELIVERY = 5;
const ENDPOINT = 6;

const idText = (kind: number, number: number) =>
  `${kind}0000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
/** The large account is the first; the second is one of the ordinary ones, and has running work. */
export const LARGE_ACCOUNT = idText(ACCOUNT, 1);
export const ORDINARY_ACCOUNT = idText(ACCOUNT, 2);
export const endpointOf = (accountId: string) => accountId.replace(/^./, String(ENDPOINT));

/**
 * What each number is. Audio never fails and there is no 3D, so lists of failed audio and of 3D match nothing although
 * the account has many of each.
 */
const HISTORY = (size: HistorySize) => `(
  SELECT n, account, model, kind, place, ended, now() - (($1 - n) * interval '300 days' / $1) - interval '2 days' AS at FROM (
    SELECT n, CASE WHEN n % ${SHARE_OF_LARGE} = 0 THEN 1 ELSE 2 + (n * 7919 % ${size.accounts - 1}) END AS account,
      (ARRAY['canvas', 'canvas', 'canvas', 'brush', 'brush', 'cutout', 'cutout', 'clip', 'clip', 'song'])[1 + (n / ${SHARE_OF_LARGE}) % 10] AS model,
      (ARRAY['image', 'image', 'image', 'image', 'image', 'image', 'image', 'video', 'video', 'audio'])[1 + (n / ${SHARE_OF_LARGE}) % 10] AS kind,
      (ARRAY['image', 'image', 'image', 'image', 'image', 'tools', 'tools', 'video', 'video', 'audio'])[1 + (n / ${SHARE_OF_LARGE}) % 10] AS place,
      CASE WHEN (n / ${SHARE_OF_LARGE}) % 10 = 9 THEN 'succeeded' WHEN n / 100 % 10 = 3 THEN 'failed' WHEN n / 100 % 20 = 7 THEN 'canceled' ELSE 'succeeded' END AS ended
    FROM generate_series(1, $1::bigint) AS n
  ) x) h`;

/**
 * Fills a migrated database with a history whose books are consistent. Triggers and foreign keys are off during the load, and
 * the indexes that the migrations made are dropped and created again with the same definition.
 */
export async function seedHistory(client: pg.ClientBase, size: HistorySize): Promise<void> {
  await client.query('SET session_replication_role = replica');
  await client.query(`SET maintenance_work_mem = '256MB'`);
  await client.query('SET synchronous_commit = off');
  await client.query('SET statement_timeout = 0');
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid::regclass::text = ANY ($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    [TABLES],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  await fillAccounts(client, size);
  await fillGenerations(client, size);
  await fillFollowers(client, size);
  await fillLive(client, size);
  for (const { definition } of indexes) await client.query(definition);
  await foldBalances(client);
  await client.query('SET session_replication_role = origin');
  await fillJobs(client, size);
  await client.query(`VACUUM (ANALYZE) ${[...TABLES, 'account', 'webhook_endpoint', 'pgboss.job'].join(', ')}`);
}

async function fillAccounts(client: pg.ClientBase, size: HistorySize): Promise<void> {
  await client.query(
    `INSERT INTO account (id, owner_id, mode, name, run_limit)
     SELECT ${idOf(ACCOUNT, 'n')}, ${idOf(ACCOUNT, 'n')}, 'test', 'seeded', ${RUN_LIMIT} FROM generate_series(1, $1::bigint) AS n`,
    [size.accounts],
  );
  await client.query(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, actor, reason)
     SELECT id, 'grant', 'issued', 'available', ${GRANT}, 'seed', 'seed' FROM account`,
  );
  await client.query(
    `INSERT INTO webhook_endpoint (id, account_id, url, events, secret_sealed)
     SELECT ${idOf(ENDPOINT, 'n')}, ${idOf(ACCOUNT, 'n')}, 'https://receiver.test/', '{generation.succeeded}', 'sealed' FROM generate_series(1, 2) AS n`,
  );
}

async function fillGenerations(client: pg.ClientBase, size: HistorySize): Promise<void> {
  await client.query(
    `INSERT INTO generation (id, account_id, idempotency_key, fingerprint, model_id, model_name, task_type, modality, workspace, params, effective,
       status, admitted, pool, coins_quoted, coins_per_output, outputs_requested, coins_charged, pricebook_version, error_code, error_message,
       attempt, deadline_seconds, created_at, started_at, completed_at)
     SELECT ${idOf(GENERATION, 'n')}, ${idOf(ACCOUNT, 'account')}, 'seeded-' || n, decode(md5(n::text), 'hex'), model, model, 'image.generate', kind, place,
       '{"prompt": "a lighthouse at dusk, oil on canvas"}', '{"params": {"prompt": "a lighthouse at dusk, oil on canvas"}, "inputs": {}, "effectSettings": {}}',
       ended, true, 'run-simulator', 7, 7, 1, CASE ended WHEN 'succeeded' THEN 7 ELSE 0 END, 'seed',
       CASE ended WHEN 'failed' THEN 'internal' END, CASE ended WHEN 'failed' THEN 'It did not work.' END,
       1, 60, at, at + interval '1 second', at + interval '10 seconds' FROM ${HISTORY(size)}`,
    [size.generations],
  );
}

/** Holds, transfers, events, outputs and failures of what ended, and the deliveries of the first two accounts. */
async function fillFollowers(client: pg.ClientBase, size: HistorySize): Promise<void> {
  const fill = (text: string) => client.query(text, [size.generations]);
  await fill(
    `INSERT INTO hold (generation_id, account_id, month, amount, captured, released, closed_at)
     SELECT ${idOf(GENERATION, 'n')}, ${idOf(ACCOUNT, 'account')}, date_trunc('month', at AT TIME ZONE 'UTC')::date, 7,
       CASE ended WHEN 'succeeded' THEN 7 ELSE 0 END, CASE ended WHEN 'succeeded' THEN 0 ELSE 7 END, at FROM ${HISTORY(size)}`,
  );
  await fill(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id, created_at)
     SELECT ${idOf(ACCOUNT, 'account')}, t.kind, t.debit, t.credit, 7, ${idOf(GENERATION, 'n')}, at FROM ${HISTORY(size)} CROSS JOIN LATERAL (
       VALUES ('hold', 'available', 'held'),
         (CASE ended WHEN 'succeeded' THEN 'capture' ELSE 'release' END, 'held', CASE ended WHEN 'succeeded' THEN 'revenue' ELSE 'available' END)
     ) AS t (kind, debit, credit)`,
  );
  await fill(
    `INSERT INTO event (id, account_id, generation_id, type, created_at)
     SELECT ${idOf(EVENT, 'n')}, ${idOf(ACCOUNT, 'account')}, ${idOf(GENERATION, 'n')}, 'generation.' || ended, at + interval '10 seconds' FROM ${HISTORY(size)}`,
  );
  await fill(
    `INSERT INTO asset (id, account_id, source, generation_id, kind, mime_type, bytes, sha256, object_key, variants, created_at, expires_at)
     SELECT ${idOf(ASSET, 'n')}, ${idOf(ACCOUNT, 'account')}, 'output', ${idOf(GENERATION, 'n')}, 'image', 'image/png', 1000,
       decode(md5(n::text) || md5(n::text), 'hex'), 'cell-c1/seed/a/' || n, '{}', at,
       CASE WHEN n <= 500 THEN now() - interval '1 minute' ELSE at + interval '400 days' END
     FROM ${HISTORY(size)} WHERE ended = 'succeeded'`,
  );
  // One upload for ten generations of the large account.
  await fill(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants, expires_at)
     SELECT ${idOf(ASSET, '1000000000 + n')}, ${idOf(ACCOUNT, 'account')}, 'upload', 'image', 'image/png', 1000,
       decode(md5(n::text) || md5(n::text), 'hex'), 'cell-c1/seed/a/u' || n, '{}', now() + interval '30 days'
     FROM ${HISTORY(size)} WHERE account <= 2 AND n / ${SHARE_OF_LARGE} % 10 = 0`,
  );
  await fill(
    `INSERT INTO run_failure (generation_id, account_id, attempt, code, decision, message, created_at)
     SELECT ${idOf(GENERATION, 'n')}, ${idOf(ACCOUNT, 'account')}, 1, 'internal', 'fail', 'It did not work.', at FROM ${HISTORY(size)} WHERE ended = 'failed'`,
  );
  // Of the two endpoints nothing was stopped or held, and few deliveries failed.
  await fill(
    `INSERT INTO delivery (id, event_id, endpoint_id, account_id, status, attempts, created_at, finished_at)
     SELECT ${idOf(DELIVERY, 'n')}, ${idOf(EVENT, 'n')}, ${idOf(ENDPOINT, 'account')}, ${idOf(ACCOUNT, 'account')},
       CASE WHEN n % 200 = 0 THEN 'failed' ELSE 'delivered' END, CASE WHEN n % 200 = 0 THEN 9 ELSE 1 END, at, at
     FROM ${HISTORY(size)} WHERE account <= 2 AND ended = 'succeeded'`,
  );
  await client.query(
    `INSERT INTO attempt (delivery_id, round, n, started_at, finished_at, ok, status_code, latency_ms)
     SELECT id, 1, 1, created_at, created_at, true, 200, 20 FROM delivery WHERE status = 'delivered'`,
  );
}

/** What runs, what waits for a worker, and the queue of the large account. */
async function fillLive(client: pg.ClientBase, size: HistorySize): Promise<void> {
  await client.query(
    `INSERT INTO generation (id, account_id, idempotency_key, fingerprint, model_id, model_name, task_type, modality, workspace, params, effective,
       status, admitted, pool, coins_quoted, coins_per_output, outputs_requested, pricebook_version, attempt, deadline_seconds, deadline_at,
       created_at, started_at, queue_number)
     SELECT ${idOf(GENERATION, 'l.n + 1000000000')}, ${idOf(ACCOUNT, 'l.account')}, 'live-' || l.n, '\\x00', 'canvas', 'canvas', 'image.generate', 'image', 'image',
       '{}', '{"params": {}, "inputs": {}, "effectSettings": {}}', l.status, l.number IS NULL, 'run-simulator', 7, 7, 1, 'seed',
       CASE l.status WHEN 'processing' THEN 1 ELSE 0 END, 60, CASE l.status WHEN 'processing' THEN now() + interval '1 hour' END,
       now() - interval '1 hour' + l.n * interval '1 millisecond', CASE l.status WHEN 'processing' THEN now() END, l.number
     FROM (
       SELECT n, 1 AS account, CASE WHEN n <= ${RUN_LIMIT / 2} THEN 'processing' ELSE 'queued' END AS status,
         CASE WHEN n > ${RUN_LIMIT} THEN n - ${RUN_LIMIT} END AS number FROM generate_series(1, ${RUN_LIMIT} + $1::integer) AS n
       UNION ALL
       SELECT 1000000 + n, 2 + n / 2, (ARRAY['processing', 'queued'])[1 + n % 2], NULL FROM generate_series(0, ${2 * BUSY_ACCOUNTS - 1}) AS n
     ) l`,
    [size.waiting],
  );
  await client.query(
    `INSERT INTO hold (generation_id, account_id, month, amount)
     SELECT id, account_id, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 7 FROM generation WHERE completed_at IS NULL`,
  );
  await client.query(
    `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
     SELECT account_id, 'hold', 'available', 'held', 7, id FROM generation WHERE completed_at IS NULL`,
  );
}

async function foldBalances(client: pg.ClientBase): Promise<void> {
  await client.query(
    `UPDATE account a SET available = t.available, held = t.held FROM (
       SELECT account_id, sum(CASE WHEN credit = 'available' THEN amount WHEN debit = 'available' THEN -amount ELSE 0 END) AS available,
         sum(CASE WHEN credit = 'held' THEN amount WHEN debit = 'held' THEN -amount ELSE 0 END) AS held FROM transfer GROUP BY 1
     ) t WHERE t.account_id = a.id`,
  );
  await client.query(
    `UPDATE account a SET slots = g.slots, queue_tail = g.tail FROM (
       SELECT account_id, count(*) FILTER (WHERE admitted) AS slots, coalesce(max(queue_number), 0) AS tail
       FROM generation WHERE completed_at IS NULL GROUP BY 1
     ) g WHERE g.account_id = a.id`,
  );
}

/** A job for everything with a slot, and finished ones that the queue still keeps. */
async function fillJobs(client: pg.ClientBase, size: HistorySize): Promise<void> {
  await client.query(
    `SELECT enqueue_job(p_queue => 'run-simulator', p_id => ${idOf(GENERATION, 'n')}, p_data => '{}', p_start_after => now())
     FROM generate_series(1, $1::bigint) AS n`,
    [Math.ceil(size.generations / 50)],
  );
  await client.query(
    `UPDATE pgboss.job SET state = 'completed', completed_on = now(), started_on = now() WHERE name = 'run-simulator'`,
  );
  await client.query(
    `SELECT enqueue_job(p_queue => pool, p_id => id, p_data => jsonb_build_object('generationId', id), p_start_after => now())
     FROM generation WHERE completed_at IS NULL AND admitted`,
  );
}
