import { type Statement, statement, type Tx } from '../../platform/db.ts';

/** Rows as JSON text, without a detour through numbers of JavaScript. */
export interface MovingRow {
  readonly table: string;
  readonly row: string;
}

interface MovingTable {
  /** The rows of a pair, as a SELECT of one column. */
  readonly rows: string;
  /** Inserts the rows of $1, a JSON array; $2 is the cell they come from, $3 this cell, $4 the pair. */
  readonly imports: readonly string[];
}

const ACCOUNTS = `SELECT id FROM account WHERE owner_id = current_setting('atelier.moving_pair')::uuid`;
const GENERATIONS = `SELECT id FROM generation WHERE account_id IN (${ACCOUNTS})`;
const ENDPOINTS = `SELECT id FROM webhook_endpoint WHERE account_id IN (${ACCOUNTS})`;
const DELIVERIES = `SELECT id FROM delivery WHERE endpoint_id IN (${ENDPOINTS})`;
const REFS = `SELECT payment_ref FROM checkout WHERE account_id IN (${ACCOUNTS})`;

const rows = (table: string, where: string) => `SELECT to_jsonb(t) FROM ${table} t WHERE ${where}`;
const given = (table: string) => `jsonb_populate_recordset(NULL::${table}, $1::jsonb) r`;

/** All columns as they are. */
const whole = (table: string, where: string): MovingTable => ({
  rows: rows(table, where),
  imports: [`INSERT INTO ${table} SELECT r.* FROM ${given(table)}`],
});

const OF_ACCOUNT = `t.account_id IN (${ACCOUNTS})`;

/**
 * What belongs to a pair, in the order in which foreign keys allow to insert it. Ids of transfers, of the audit log and of the places in
 * the feed are those of a cell: they are assigned again.
 */
const tables: Readonly<Record<string, MovingTable>> = {
  account: {
    rows: rows('account', `t.id IN (${ACCOUNTS})`),
    imports: [
      `INSERT INTO account (id, owner_id, mode, name, run_limit, raised_limit, rate_limit, created_at)
       SELECT r.id, r.owner_id, r.mode, r.name, r.run_limit, r.raised_limit, r.rate_limit, r.created_at FROM ${given('account')}
       ON CONFLICT (id) DO NOTHING`,
      `UPDATE account a SET name = r.name, run_limit = r.run_limit, raised_limit = r.raised_limit, rate_limit = r.rate_limit,
         locked_at = r.locked_at, locked_reason = r.locked_reason, cooldown_until = r.cooldown_until, storage_quota = r.storage_quota,
         moving_to = NULL, moved_to = NULL, erased_at = NULL
       FROM ${given('account')} WHERE a.id = r.id`,
    ],
  },
  api_key: whole('api_key', OF_ACCOUNT),
  key_month: whole('key_month', `t.key_id IN (SELECT id FROM api_key WHERE account_id IN (${ACCOUNTS}))`),
  generation: whole('generation', OF_ACCOUNT),
  hold: whole('hold', `t.generation_id IN (${GENERATIONS})`),
  transfer: {
    // What moved between cells is booked by each cell itself.
    rows: `${rows('transfer', `${OF_ACCOUNT} AND t.debit <> 'moved' AND t.credit <> 'moved'`)} ORDER BY t.id`,
    imports: [
      `INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id, actor, reason, created_at, reference, origin_cell, origin_id)
       SELECT r.account_id, r.kind, r.debit, r.credit, r.amount, r.generation_id, r.actor, r.reason, r.created_at, r.reference,
         coalesce(r.origin_cell, $2), coalesce(r.origin_id, r.id)
       FROM ${given('transfer')} WHERE r.origin_cell IS DISTINCT FROM $3 ORDER BY r.id
       ON CONFLICT (account_id, origin_cell, origin_id) WHERE origin_cell IS NOT NULL DO NOTHING`,
    ],
  },
  asset: whole('asset', OF_ACCOUNT),
  generation_input: whole('generation_input', `t.generation_id IN (${GENERATIONS})`),
  webhook_endpoint: whole('webhook_endpoint', OF_ACCOUNT),
  event: {
    rows: `${rows('event', OF_ACCOUNT)} ORDER BY t.epoch, t.xid, t.seq`,
    imports: [
      `INSERT INTO event (id, account_id, generation_id, type, created_at)
       SELECT r.id, r.account_id, r.generation_id, r.type, r.created_at FROM ${given('event')} ORDER BY r.epoch, r.xid, r.seq`,
    ],
  },
  delivery: whole('delivery', `t.endpoint_id IN (${ENDPOINTS})`),
  attempt: whole('attempt', `t.delivery_id IN (${DELIVERIES})`),
  openai_call: whole('openai_call', OF_ACCOUNT),
  checkout: {
    rows: rows('checkout', OF_ACCOUNT),
    imports: [
      `INSERT INTO checkout (id, account_id, status, amount, currency, coins, payment_ref, transfer_id, coins_taken, created_at, paid_at)
       SELECT r.id, r.account_id, r.status, r.amount, r.currency, r.coins, r.payment_ref,
         CASE WHEN r.transfer_id IS NOT NULL THEN
           (SELECT t.id FROM transfer t WHERE t.account_id = r.account_id AND t.reference = 'checkout/' || r.id) END,
         r.coins_taken, r.created_at, r.paid_at
       FROM ${given('checkout')}
       ON CONFLICT (id) DO UPDATE SET status = excluded.status, payment_ref = excluded.payment_ref, transfer_id = excluded.transfer_id,
         coins_taken = excluded.coins_taken, paid_at = excluded.paid_at`,
    ],
  },
  payment_refund: {
    rows: rows('payment_refund', `t.payment_ref IN (${REFS})`),
    imports: [
      `INSERT INTO payment_refund SELECT r.* FROM ${given('payment_refund')}
       ON CONFLICT (payment_ref) DO UPDATE SET amount = greatest(payment_refund.amount, excluded.amount)`,
    ],
  },
  payment_dispute: {
    rows: rows('payment_dispute', `t.payment_ref IN (${REFS})`),
    imports: [
      `INSERT INTO payment_dispute SELECT r.* FROM ${given('payment_dispute')}
       ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, is_taken = excluded.is_taken, is_final = excluded.is_final,
         as_of = excluded.as_of
       WHERE (excluded.is_final, excluded.as_of) >= (payment_dispute.is_final, payment_dispute.as_of)`,
    ],
  },
  payment_event: {
    rows: rows('payment_event', OF_ACCOUNT),
    imports: [`INSERT INTO payment_event SELECT r.* FROM ${given('payment_event')} ON CONFLICT (id) DO NOTHING`],
  },
  budget: {
    rows: rows('budget', OF_ACCOUNT),
    // It is compared again with all transfers. It knows which alerts it has sent.
    imports: [
      `INSERT INTO budget SELECT (jsonb_populate_record(NULL::budget, e || '{"checked_transfer_id": 0, "checked_at": "-infinity"}')).*
       FROM jsonb_array_elements($1::jsonb) e`,
    ],
  },
  usage_day: whole('usage_day', OF_ACCOUNT),
  audit_log: {
    rows: `${rows('audit_log', OF_ACCOUNT)} ORDER BY t.id`,
    imports: [
      `INSERT INTO audit_log (at, actor, action, account_id, detail)
       SELECT r.at, r.actor, r.action, r.account_id, r.detail || jsonb_build_object('origin', o.origin)
       FROM ${given('audit_log')} CROSS JOIN LATERAL (SELECT coalesce(r.detail ->> 'origin', $2 || '/' || r.id) AS origin) o
       WHERE split_part(o.origin, '/', 1) <> $3
         AND NOT EXISTS (SELECT 1 FROM audit_log l WHERE l.account_id = r.account_id AND l.detail ->> 'origin' = o.origin)
       ORDER BY r.id`,
    ],
  },
  member: {
    rows: `SELECT jsonb_build_object('email', p.email, 'name', p.name, 'role', m.role, 'created_at', m.created_at)
       FROM membership m JOIN person p ON p.id = m.person_id
       WHERE m.pair_id = current_setting('atelier.moving_pair')::uuid AND p.email_verified`,
    imports: [
      `INSERT INTO person (id, name, email, email_verified, set_up_at)
       SELECT gen_random_uuid(), r.name, r.email, true, now() FROM jsonb_to_recordset($1::jsonb) AS r (name text, email text)
       ON CONFLICT (email) DO NOTHING`,
      `INSERT INTO membership (person_id, pair_id, role, created_at)
       SELECT p.id, $4::uuid, r.role, r.created_at
       FROM jsonb_to_recordset($1::jsonb) AS r (email text, role text, created_at timestamptz)
         JOIN person p ON p.email = r.email AND p.email_verified
       ON CONFLICT (person_id, pair_id) DO UPDATE SET role = excluded.role`,
    ],
  },
  // The last one: an erased account accepts no rows.
  erasure: {
    rows: rows('account', `t.id IN (${ACCOUNTS}) AND t.erased_at IS NOT NULL`),
    imports: [`UPDATE account a SET erased_at = r.erased_at FROM ${given('account')} WHERE a.id = r.id`],
  },
};

const CHOOSE_PAIR = statement('choose_moving_pair', `SELECT set_config('atelier.moving_pair', $1, true)`);
/** One statement, so all rows are of one snapshot. A statement that opens a cursor takes no parameters. */
const OPEN_ROWS = statement(
  'open_moving_rows',
  `DECLARE moving_rows NO SCROLL CURSOR FOR ${Object.entries(tables)
    .map(([name, table]) => `SELECT '${name}' AS "table", u.j::text AS row FROM (${table.rows}) AS u (j)`)
    .join('\nUNION ALL\n')}`,
);
const FETCH_ROWS = statement('fetch_moving_rows', 'FETCH 500 FROM moving_rows');
const CLOSE_ROWS = statement('close_moving_rows', 'CLOSE moving_rows');

/** All rows of a pair as they are at the first read, in batches. */
export async function* readMovingRows(tx: Tx, pairId: string): AsyncGenerator<MovingRow[]> {
  await tx.query(CHOOSE_PAIR, [pairId]);
  await tx.query(OPEN_ROWS);
  for (;;) {
    const batch = await tx.query<MovingRow>(FETCH_ROWS);
    if (batch.length === 0) break;
    yield batch;
  }
  await tx.query(CLOSE_ROWS);
}

const importing = new Map<string, readonly Statement[]>(
  Object.entries(tables).map(([name, table]) => [
    name,
    // Every statement names all parameters, so that one list of values fits all.
    table.imports.map((text, n) =>
      statement(
        `import_${name}_${n}`,
        `WITH p AS MATERIALIZED (SELECT $1::jsonb, $2::text, $3::text, $4::text) ${text}`,
      ),
    ),
  ]),
);

/** Whether rows of a file are of a table that this version moves. */
export function isMovingTable(table: string): boolean {
  return importing.has(table);
}

export async function importRows(
  tx: Tx,
  batch: { table: string; rows: readonly string[]; fromCell: string; toCell: string; pairId: string },
): Promise<void> {
  const values = [`[${batch.rows.join(',')}]`, batch.fromCell, batch.toCell, batch.pairId];
  for (const each of importing.get(batch.table) ?? []) await tx.query(each, values);
}

const COUNTED = statement(
  'set_usage_positions',
  `INSERT INTO usage_position (account_id, transfer_id)
   SELECT a.id, coalesce((SELECT max(t.id) FROM transfer t WHERE t.account_id = a.id), 0) FROM unnest($1::uuid[]) AS a (id)
   ON CONFLICT (account_id) DO UPDATE SET transfer_id = excluded.transfer_id`,
);

/** The usage of the accounts came with them, counted to the last transfer. */
export async function setUsagePositions(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await tx.query(COUNTED, [accountIds]);
}
