import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { newId } from '../platform/ids.ts';

const { desk, owner } = await openTestDatabase();

/**
 * Everything that the role of the desk may do with tables. A right without columns is for all of them. Tables that are not listed
 * are closed to it.
 */
const TABLES: Readonly<Record<string, string>> = {
  account: 'select; update locked_at, locked_reason, raised_limit, rate_limit, run_limit, storage_quota',
  api_key: 'select account_id, id, monthly_cap',
  asset: 'select',
  attempt: 'select delivery_id, finished_at, n, ok, round, started_at',
  audit_log: 'select; insert',
  books_check: 'select',
  bucket_prefix: 'select; insert',
  checkout: 'select',
  delivery: 'select account_id, attempts, endpoint_id, event_id, finished_at, id, next_at, round, status',
  desk_operator: 'select',
  desk_session: 'select; insert; update; delete',
  desk_verification: 'select; insert; update; delete',
  event: 'select',
  generation: 'select',
  generation_input: 'select',
  hold: 'select',
  key_month: 'select',
  master_key: 'select; insert',
  membership: 'select',
  offer: 'select',
  parked_payment_event: 'select parked_at',
  payment_dispute: 'select',
  payment_refund: 'select',
  person: 'select',
  person_credential: 'select',
  person_two_factor: 'select; update backup_codes, failed_verification_count, locked_until, verified',
  queue_gap: 'select',
  request_record: 'select',
  run_failure: 'select',
  setting: 'select; insert; update; delete',
  throttle: 'select; insert; update; delete',
  transfer: 'select; insert',
  usage_day: 'select',
  usage_position: 'select',
  webhook_endpoint: 'select account_id, events, id, key_id, status, updated_at',
  worker_status: 'select',
};

const FUNCTIONS = [
  'count_gaps',
  'count_waiting',
  'database_identity',
  'first_waiting',
  'open_key_prefix',
  'queue_offset',
  'server_identity',
  'set_run_limit',
];

/** Plans a statement as the role of the desk, which checks its rights and changes nothing. */
async function mayPlan(statement: string): Promise<boolean> {
  try {
    await desk.pool.query(`EXPLAIN ${statement}`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === '42501') return false;
    throw error;
  }
}

async function findRights(table: string, columns: readonly string[]): Promise<string> {
  const rights: string[] = [];
  for (const [right, plan] of [
    ['select', (column: string) => `SELECT ${column} FROM ${table}`],
    ['insert', (column: string) => `INSERT INTO ${table} (${column}) OVERRIDING SYSTEM VALUE VALUES (NULL)`],
    ['update', (column: string) => `UPDATE ${table} SET ${column} = DEFAULT`],
  ] as const) {
    const allowed: string[] = [];
    for (const column of columns) if (await mayPlan(plan(`"${column}"`))) allowed.push(column);
    if (allowed.length === columns.length) rights.push(right);
    else if (allowed.length > 0) rights.push(`${right} ${allowed.join(', ')}`);
  }
  if (await mayPlan(`DELETE FROM ${table}`)) rights.push('delete');
  const { rows } = await owner.pool.query(
    `SELECT has_table_privilege('atelier_desk', $1, 'TRUNCATE, TRIGGER, REFERENCES') AS more`,
    [table],
  );
  if (rows[0].more) rights.push('more');
  return rights.join('; ');
}

test('the role of the desk has exactly the rights of this list, on every table', async () => {
  const { rows } = await owner.pool.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
     GROUP BY 1`,
  );
  expect(rows.length).toBeGreaterThan(40);
  const found: Record<string, string> = {};
  for (const { name, columns } of rows) {
    const rights = await findRights(`public."${name}"`, columns);
    if (rights !== '') found[name] = rights;
  }
  expect(found).toEqual(TABLES);
});

test('the role of the desk may use no other schema', async () => {
  const { rows } = await desk.pool.query(
    `SELECT nspname FROM pg_namespace
     WHERE nspname !~ '^pg_|^information_schema$' AND has_schema_privilege(oid, 'USAGE, CREATE')`,
  );
  expect(rows).toEqual([{ nspname: 'public' }]);
  const { rows: creates } = await desk.pool.query(
    `SELECT has_schema_privilege('public', 'CREATE') OR has_database_privilege(current_database(), 'CREATE') AS creates`,
  );
  expect(creates).toEqual([{ creates: false }]);
});

test('the role of the desk calls exactly the functions of this list', async () => {
  const { rows } = await owner.pool.query<{ signature: string; name: string; kind: string; call: string }>(
    `SELECT p.oid::regprocedure::text AS signature, p.proname AS name,
       CASE WHEN p.prorettype = 'trigger'::regtype THEN 'trigger' ELSE 'function' END AS kind,
       format('SELECT %I.%I(%s)', n.nspname, p.proname, (
         SELECT string_agg(format('NULL::%s', format_type(t.type, NULL)), ', ' ORDER BY t.place)
         FROM unnest(p.proargtypes) WITH ORDINALITY AS t (type, place))) AS call
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND p.prokind = 'f' ORDER BY p.proname`,
  );
  expect(rows.length).toBeGreaterThan(30);
  const found: string[] = [];
  for (const { signature, name, kind, call } of rows) {
    const { rows: answers } = await owner.pool.query(
      `SELECT has_function_privilege('atelier_desk', $1::regprocedure, 'EXECUTE') AS may`,
      [signature],
    );
    // A trigger function is called by its table alone, but whoever may execute it can name it in a trigger.
    const may = kind === 'trigger' ? answers[0].may : await mayPlan(call);
    if (may) found.push(name);
  }
  expect(found).toEqual(FUNCTIONS);
});

test('the role of the desk reads what signs operators in, and of nobody else', async () => {
  const [operator, customer] = [newId(), newId()];
  for (const id of [operator, customer]) {
    await owner.pool.query(`INSERT INTO person (id, name, email) VALUES ($1, 'Ada', $2)`, [id, `${id}@example.com`]);
    await owner.pool.query(
      `INSERT INTO person_credential (id, person_id, provider_id, subject, password_hash) VALUES (gen_random_uuid(), $1, 'credential', $2, 'hash')`,
      [id, id],
    );
    await owner.pool.query(
      `INSERT INTO person_two_factor (id, person_id, secret, backup_codes) VALUES (gen_random_uuid(), $1, 'secret', 'codes')`,
      [id],
    );
  }
  await owner.pool.query('INSERT INTO desk_operator (person_id) VALUES ($1)', [operator]);
  for (const [table, column] of [
    ['person_credential', null],
    ['person_two_factor', 'verified = verified'],
  ]) {
    const { rows } = await desk.pool.query(`SELECT person_id FROM ${table}`);
    expect({ table, rows }).toEqual({ table, rows: [{ person_id: operator }] });
    if (column === null) continue;
    const { rowCount } = await desk.pool.query(`UPDATE ${table} SET ${column}`);
    expect({ table, rowCount }).toEqual({ table, rowCount: 1 });
  }
});
