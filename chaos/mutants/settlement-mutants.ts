import { code, type Mutant, sql } from './mutant.ts';

const SETTLEMENTS = 'functions/settlements';
const LEDGER = 'functions/ledger';
const SETTLER = 'domain/generations/run/create-settler.ts';
const BATCH = 'domain/generations/run/settle-generations';
const RACES = 'domain/generations/run/settlement-races';
const SETTLER_TEST = 'domain/generations/run/create-settler';

const FENCE = "WHERE g.id = s.id AND g.status = 'processing' AND g.attempt = s.attempt";
const LIMIT = 'domain/generations/run/running-limit';
const LOCK_ACCOUNTS = '  PERFORM 1 FROM account a WHERE a.id = ANY (v_accounts) ORDER BY a.id FOR NO KEY UPDATE;\n';
const FREE = 'greatest(a.run_limit - (a.slots - f.freed), 0) AS free';
const WAITING = "g.account_id = r.id AND g.status = 'queued' AND NOT g.admitted";

const batchMutants: readonly Mutant[] = [
  sql(SETTLEMENTS, {
    name: 'batch without the fence',
    find: FENCE,
    replace: FENCE.replace(' AND g.attempt = s.attempt', ''),
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch without the status',
    find: FENCE,
    replace: FENCE.replace(" AND g.status = 'processing'", ''),
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch charges for requested instead of delivered outputs',
    find: 'g.coins_per_output * s.delivered',
    replace: 'g.coins_quoted',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch succeeds without outputs',
    find: "n.delivered = 0 THEN 'internal'",
    replace: "n.delivered < 0 THEN 'internal'",
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch with another message for a run without outputs',
    find: "n.delivered = 0 THEN 'The provider returned no output.'",
    replace: "n.delivered < 0 THEN 'The provider returned no output.'",
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch keeps outputs for one day',
    find: "now() + e.retention_days * interval '1 day'",
    replace: "now() + interval '1 day'",
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch leaves holds open',
    find: '  PERFORM close_holds(p_generations => settled, p_charged => v_charged);\n',
    replace: '',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch charges by order of accounts',
    find: 'array_agg(e.coins_charged) INTO',
    replace: 'array_agg(e.coins_charged ORDER BY e.coins_charged) INTO',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch without events',
    find: 'v_deliveries := record_events(p_generations => settled);',
    replace: 'v_deliveries := 0;',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch wakes nobody for deliveries',
    find: 'IF v_deliveries > 0 THEN',
    replace: 'IF v_deliveries < 0 THEN',
    tests: [BATCH],
  }),
  sql('functions/events', {
    name: 'event of every end is a success',
    find: "'generation.' || g.status",
    replace: "'generation.succeeded'",
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch closes holds without a check',
    find: 'IF cardinality(v_closed) IS DISTINCT FROM cardinality(p_generations) THEN',
    replace: 'IF false THEN',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch does not compute what is released',
    find: 'released = amount - g.charged',
    replace: 'released = 0',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch books only one hold per month',
    find: 'sum(amount)::bigint AS amount, sum(captured)::bigint AS captured',
    replace: 'max(amount) AS amount, max(captured) AS captured',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch mixes the months of a key',
    find: 'WHERE m.key_id = c.key_id AND m.month = c.month',
    replace: 'WHERE m.key_id = c.key_id',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch does not book the months',
    find: 'WHERE m.key_id = c.key_id AND m.month = c.month',
    replace: 'WHERE m.key_id = c.key_id AND m.month = c.month AND false',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch does not count captures as spent',
    find: ', spent = m.spent + c.captured',
    replace: '',
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch releases in full after a part was captured',
    find: "('release', 'available', c.released)",
    replace: "('release', 'available', c.amount)",
    tests: [BATCH],
  }),
  sql(LEDGER, {
    name: 'batch closes a hold twice',
    find: 'WHERE generation_id = g.id AND closed_at IS NULL',
    replace: 'WHERE generation_id = g.id',
    tests: [BATCH],
  }),
];

const cooldownMutants: readonly Mutant[] = [
  sql(SETTLEMENTS, {
    name: 'batch cooldown one failure early',
    find: 'AND 5 <= (',
    replace: 'AND 4 <= (',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch cooldown one failure late',
    find: 'AND 5 <= (',
    replace: 'AND 5 < (',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch cooldown for failures of any kind',
    find: "x.account_id = a.id AND x.error_code = 'content_policy'",
    replace: "x.account_id = a.id AND x.status = 'failed'",
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch cooldown for old failures',
    find: " AND x.completed_at > now() - interval '10 minutes'",
    replace: '',
    tests: [BATCH],
  }),
];

const promotionMutants: readonly Mutant[] = [
  sql(SETTLEMENTS, {
    name: 'batch forgets the slots that it frees',
    find: FREE,
    replace: 'greatest(a.run_limit - a.slots, 0) AS free',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes one per account',
    find: 'ORDER BY g.queue_number LIMIT r.free',
    replace: 'ORDER BY g.queue_number LIMIT least(r.free, 1)',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes beyond the limit',
    find: 'ORDER BY g.queue_number LIMIT r.free',
    replace: 'ORDER BY g.queue_number LIMIT r.free + 1',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes the newest first',
    find: 'ORDER BY g.queue_number LIMIT r.free',
    replace: 'ORDER BY g.queue_number DESC LIMIT r.free',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes generations of other accounts',
    find: WAITING,
    replace: WAITING.replace('g.account_id = r.id AND ', ''),
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes without a job',
    find: 'IF v_jobs IS NOT NULL THEN PERFORM enqueue_jobs',
    replace: 'IF false THEN PERFORM enqueue_jobs',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch promotes without taking a slot',
    find: 'r.slots + count(n.id)::integer AS slots',
    replace: 'r.slots AS slots',
    tests: [BATCH],
  }),
  sql(SETTLEMENTS, {
    name: 'batch leaves parked generations without a job',
    find: 't.before > t.run_limit OR (',
    replace: 'false OR (',
    tests: [LIMIT],
  }),
  sql(SETTLEMENTS, {
    name: 'batch forgets models that sort before the next',
    find: 'AND w.model_id < t.first_model',
    replace: 'AND false',
    tests: [LIMIT],
  }),
  sql(SETTLEMENTS, {
    name: 'batch forgets models that sort after the next',
    find: 'AND w.model_id > t.first_model',
    replace: 'AND false',
    tests: [LIMIT],
  }),
  sql(SETTLEMENTS, {
    name: 'batch wakes nobody for promoted runs',
    find: 'RETURN ARRAY(SELECT DISTINCT p FROM unnest(v_pools) AS p);',
    replace: "RETURN '{}';",
    tests: [BATCH],
  }),
];

const lockMutants: readonly Mutant[] = [
  sql(SETTLEMENTS, {
    name: 'batch without the account locks',
    find: LOCK_ACCOUNTS,
    replace: '',
    tests: [RACES],
  }),
  sql(SETTLEMENTS, {
    name: 'batch locks accounts in the order given',
    find: LOCK_ACCOUNTS,
    replace: LOCK_ACCOUNTS.replace(
      'ORDER BY a.id',
      'ORDER BY (SELECT min(array_position(p_ids, g.id)) FROM generation g WHERE g.id = ANY (p_ids) AND g.account_id = a.id)',
    ),
    tests: [RACES],
  }),
  sql('functions/generations', {
    name: 'take locks accounts in reverse order',
    find: 'WHERE a.id = ANY (v_accounts) ORDER BY a.id FOR NO KEY UPDATE;',
    replace: 'WHERE a.id = ANY (v_accounts) ORDER BY a.id DESC FOR NO KEY UPDATE;',
    tests: [RACES],
  }),
];

const settlerMutants: readonly Mutant[] = [
  code(SETTLER, {
    name: 'refused batch fails every member',
    find: 'return settleAlone(settlement);',
    replace: 'throw error;',
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'members are retried while the database is unavailable',
    find: 'if (isDatabaseUnavailable(error) && !isContention(error)) throw error;',
    replace: '',
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'batch rejected because of one locked account',
    find: ' && !isContention(error)',
    replace: '',
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'a locked account delays all ends',
    find: '    overlapAfterMs: OVERLAP_AFTER_MS,\n',
    replace: '',
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'one generation twice in a batch',
    find: '    keyOf: ({ id }) => id,\n',
    replace: '',
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'fenced member counts as settled',
    find: "ended.has(id) ? 'settled' : 'fenced'",
    replace: "ended.size > 0 ? 'settled' : 'fenced'",
    tests: [SETTLER_TEST],
  }),
  code(SETTLER, {
    name: 'lone end through the batch function',
    find: 'second === undefined ? ',
    replace: 'second !== undefined ? ',
    tests: [SETTLER_TEST],
  }),
];

export const settlementMutants: readonly Mutant[] = [
  ...batchMutants,
  ...cooldownMutants,
  ...promotionMutants,
  ...lockMutants,
  ...settlerMutants,
];
