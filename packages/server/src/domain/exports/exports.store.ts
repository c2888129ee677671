import { statement, type Tx } from '../../platform/db.ts';

const SNAPSHOT = statement('export_snapshot', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
// Every cursor returns one text, so the prepared FETCH fits all of them.
const FETCH = statement('export_fetch', 'FETCH FORWARD 500 FROM account_export');
const CLOSE = statement('export_close', 'CLOSE account_export');

/** Everything that is read in this transaction is of one moment. Must be its first statement. */
export async function beginSnapshot(tx: Tx): Promise<void> {
  await tx.query(SNAPSHOT);
}

/** `each` is the row as JSON. Secrets and what only the service uses are left out. */
const section = (name: string, each: string, from: string) => ({
  name,
  statement: statement(
    `export_${name.replaceAll('-', '_')}`,
    `DECLARE account_export NO SCROLL CURSOR FOR SELECT (${each})::text AS line FROM ${from}`,
  ),
});

const OF_PAIR = '(SELECT owner_id FROM account WHERE id = $1)';

/** What an account owns, one file each. */
export const SECTIONS = [
  section('account', `to_jsonb(a) - '{slots,queue_tail}'::text[]`, 'account a WHERE a.id = $1'),
  section(
    'members',
    `jsonb_build_object('person_id', p.id, 'name', p.name, 'email', p.email, 'role', m.role, 'created_at', m.created_at)`,
    `membership m JOIN person p ON p.id = m.person_id WHERE m.pair_id = ${OF_PAIR} ORDER BY m.created_at`,
  ),
  section(
    'invitations',
    `to_jsonb(i) - '{token_hash,mode}'::text[]`,
    `invitation i WHERE i.pair_id = ${OF_PAIR} ORDER BY i.created_at`,
  ),
  section('keys', `to_jsonb(k) - 'hash'`, 'api_key k WHERE k.account_id = $1 ORDER BY k.created_at'),
  section(
    'key-months',
    'to_jsonb(m)',
    'key_month m JOIN api_key k ON k.id = m.key_id WHERE k.account_id = $1 ORDER BY m.month',
  ),
  section('transfers', 'to_jsonb(t)', 'transfer t WHERE t.account_id = $1 ORDER BY t.id'),
  section(
    'holds',
    'to_jsonb(h)',
    'hold h JOIN generation g ON g.id = h.generation_id WHERE g.account_id = $1 ORDER BY g.created_at, g.id',
  ),
  section('checkouts', 'to_jsonb(c)', 'checkout c WHERE c.account_id = $1 ORDER BY c.created_at'),
  section(
    'generations',
    `to_jsonb(g) - '{error_message,fingerprint,worker,pool,provider_handle,submitted_target,submitted_handle,queue_number}'::text[]`,
    'generation g WHERE g.account_id = $1 ORDER BY g.created_at, g.id',
  ),
  section('inputs', 'to_jsonb(i)', 'generation_input i WHERE i.account_id = $1 ORDER BY i.generation_id, i.asset_id'),
  section('assets', 'to_jsonb(a)', 'asset a WHERE a.account_id = $1 ORDER BY a.created_at, a.id'),
  section(
    'uploads-in-progress',
    `to_jsonb(u) - 'parts'`,
    'resumable_upload u WHERE u.account_id = $1 ORDER BY u.created_at',
  ),
  section(
    'events',
    `to_jsonb(e) - '{epoch,xid,seq}'::text[]`,
    'event e WHERE e.account_id = $1 ORDER BY e.epoch, e.xid, e.seq',
  ),
  section(
    'endpoints',
    `to_jsonb(w) - 'secret_sealed'`,
    'webhook_endpoint w WHERE w.account_id = $1 ORDER BY w.created_at',
  ),
  section(
    'deliveries',
    `to_jsonb(d) - 'job_id'`,
    `webhook_endpoint w JOIN delivery d ON d.endpoint_id = w.id AND d.account_id = w.account_id
     WHERE w.account_id = $1 ORDER BY d.created_at`,
  ),
  section(
    'attempts',
    'to_jsonb(t)',
    `webhook_endpoint w JOIN delivery d ON d.endpoint_id = w.id AND d.account_id = w.account_id JOIN attempt t ON t.delivery_id = d.id
     WHERE w.account_id = $1 ORDER BY t.started_at`,
  ),
  section('usage', 'to_jsonb(u)', 'usage_day u WHERE u.account_id = $1 ORDER BY u.day, u.model_id'),
  section(
    'budgets',
    `to_jsonb(b) - '{checked_transfer_id,checked_at}'::text[]`,
    'budget b WHERE b.account_id = $1 ORDER BY b.created_at',
  ),
  section('audit', 'to_jsonb(l)', 'audit_log l WHERE l.account_id = $1 ORDER BY l.id'),
] as const;

export type Section = (typeof SECTIONS)[number];

/** The rows of a section as JSON, a batch at a time. */
export async function* readSection(tx: Tx, given: Section, accountId: string): AsyncGenerator<string> {
  await tx.query(given.statement, [accountId]);
  for (;;) {
    const rows = await tx.query<{ line: string }>(FETCH);
    if (rows.length === 0) break;
    for (const { line } of rows) yield line;
  }
  await tx.query(CLOSE);
}
