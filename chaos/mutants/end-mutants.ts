import { type Mutant, sql } from './mutant.ts';

const MONEY = 'functions/generations';
const LEDGER = 'functions/ledger';
const EVENTS = 'functions/events';
const WEBHOOKS = 'functions/webhooks';
const ADMISSION = 'domain/generations/submit/admission';
const PROMOTION = 'domain/generations/run/promotion-races';
const SETTLE = 'domain/generations/run/settle-generation';
const EVENT = 'domain/generations/run/record-event';
const QUEUE = 'domain/generations/read/queue-position';
const BY_MODEL = 'functions/admission';

const SETTLE_LOCK = `  END IF;
  SELECT account_id INTO v_account FROM generation WHERE id = p_id;
  PERFORM 1 FROM account WHERE id = v_account FOR NO KEY UPDATE;
`;
const SETTLE_END = '  wake := promote_waiting(p_account => v_account, p_freed => 1);\n  IF v_deliveries';
const FENCE = "WHERE id = p_id AND status = 'processing' AND attempt = p_attempt RETURNING * INTO g;";
const CANCEL = "WHERE id = p_id AND account_id = p_account AND status = 'queued' RETURNING * INTO g;";
const CANCEL_SLOT = '  IF g.admitted THEN\n    wake := promote_waiting(p_account => p_account, p_freed => 1);\n';
const TAKE = "WHERE id = ANY (p_ids) AND status IN ('queued', 'processing') AND admitted";
const NEXT =
  "w.account_id = p_account AND w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id = v_model";
const BOOK_MONTH =
  'UPDATE key_month SET reserved = reserved - h.amount, spent = spent + h.captured WHERE key_id = h.key_id AND month = h.month;';
const SUBSCRIBED = `v.type = ANY (e.events)
        AND (e.key_id IS NULL OR e.key_id = g.key_id)
      RETURNING id, job_id`;
const OF_ACCOUNT = 'JOIN webhook_endpoint e ON e.account_id = v.account_id';
const NOT_DELETED = "AND e.status <> 'deleted' AND";

const promotionMutants: readonly Mutant[] = [
  sql(MONEY, {
    name: 'lock and pick in one statement',
    edits: [
      [SETTLE_LOCK, SETTLE_LOCK.replace(/ {2}PERFORM.*\n/, '')],
      [
        '  v_deliveries integer;\nBEGIN\n  -- A run',
        '  v_deliveries integer;\n  v_next       record;\nBEGIN\n  -- A run',
      ],
      [
        '\n  IF v_delivered > 0 THEN\n    INSERT INTO asset',
        `
  WITH locked AS MATERIALIZED (SELECT id FROM account WHERE id = v_account FOR NO KEY UPDATE)
  UPDATE generation n SET admitted = true FROM locked WHERE n.account_id = locked.id AND n.id = (
    SELECT w.id FROM generation w WHERE w.account_id = v_account AND w.status = 'queued' AND NOT w.admitted
    ORDER BY w.created_at, w.id LIMIT 1
  ) RETURNING n.id, n.pool INTO v_next;
  IF FOUND THEN
    PERFORM enqueue_job(p_queue => v_next.pool, p_id => v_next.id, p_data => jsonb_build_object('generationId', v_next.id),
      p_start_after => now());
    UPDATE account SET slots = slots + 1 WHERE id = v_account;
    wake := ARRAY[v_next.pool];
  END IF;
  IF v_delivered > 0 THEN
    INSERT INTO asset`,
      ],
      [SETTLE_END, '  UPDATE account SET slots = slots - 1 WHERE id = v_account;\n  IF v_deliveries'],
    ],
    tests: [PROMOTION],
  }),
  sql(BY_MODEL, {
    name: 'promotes the newest first',
    find: 'ORDER BY w.queue_number LIMIT 1',
    replace: 'ORDER BY w.queue_number DESC LIMIT 1',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes by id instead of number',
    find: 'ORDER BY w.queue_number LIMIT 1',
    replace: 'ORDER BY w.id LIMIT 1',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes without taking a slot',
    find: '      v_change := v_change + 1;\n',
    replace: '',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes without a job',
    find: "      PERFORM enqueue_job(p_queue => v_next.pool, p_id => v_next.id, p_data => jsonb_build_object('generationId', v_next.id),\n        p_start_after => now());\n",
    replace: '',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes a finished generation',
    find: NEXT,
    replace: 'w.account_id = p_account AND NOT w.admitted AND w.model_id = v_model',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes a generation of another account',
    find: NEXT,
    replace: "w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id = v_model",
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes beyond the limit',
    find: 'WHILE v_need > 0 LOOP',
    replace: 'WHILE v_need >= 0 LOOP',
    tests: [ADMISSION],
  }),
  sql(BY_MODEL, {
    name: 'promotes only one',
    find: 'p_start_after => now());\n    END LOOP;\n  END LOOP;\n',
    replace: 'p_start_after => now());\n      EXIT;\n    END LOOP;\n  END LOOP;\n',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'raised limit takes effect only after the next end',
    find: 'RETURN promote_waiting(p_account => p_account, p_freed => 0);',
    replace: 'RETURN ARRAY[]::text[];',
    tests: [ADMISSION],
  }),
];

const takeAndCancelMutants: readonly Mutant[] = [
  sql(MONEY, {
    name: 'take ignores admission',
    find: TAKE,
    replace: TAKE.replace(' AND admitted', ''),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'take of a finished generation',
    find: TAKE,
    replace: 'WHERE id = ANY (p_ids) AND admitted',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'take does not raise the attempt',
    find: "status = 'processing', attempt = attempt + 1,",
    replace: "status = 'processing', attempt = greatest(attempt, 1),",
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'take-over moves the deadline',
    find: 'deadline_at = coalesce(deadline_at, clock_timestamp()',
    replace: 'deadline_at = coalesce(NULL, clock_timestamp()',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel keeps the slot',
    find: CANCEL_SLOT,
    replace: CANCEL_SLOT.replace('p_freed => 1', 'p_freed => 0'),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel frees a slot that was not taken',
    find: CANCEL_SLOT,
    replace: CANCEL_SLOT.replace('g.admitted', 'true'),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel promotes nothing',
    find: CANCEL_SLOT,
    replace: CANCEL_SLOT.replace(/wake.*\n/, 'UPDATE account SET slots = slots - 1 WHERE id = p_account;\n'),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel leaves no gap in the queue',
    find: '    PERFORM leave_queue(p_account => p_account, p_number => g.queue_number);\n',
    replace: '    NULL;\n',
    tests: [QUEUE],
  }),
  sql(MONEY, {
    name: 'gap counted before the front of the queue',
    find: ' + count_gaps(p_account => p_account, p_upto => v_first - 1), 0);',
    replace: ', 0);',
    tests: [QUEUE],
  }),
  sql(MONEY, {
    name: 'gap deleted too early',
    find: 'q.bucket < v_first / 8192);',
    replace: 'q.bucket <= v_first / 8192);',
    tests: [QUEUE],
  }),
  sql(MONEY, {
    name: 'cancel of a running generation',
    find: CANCEL,
    replace: CANCEL.replace("= 'queued'", "IN ('queued', 'processing')"),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel of a generation of another account',
    find: CANCEL,
    replace: CANCEL.replace(' AND account_id = p_account', ''),
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'cancel without the account lock',
    find: '  PERFORM 1 FROM account WHERE id = p_account FOR NO KEY UPDATE;\n  UPDATE generation',
    replace: '  UPDATE generation',
    tests: [PROMOTION],
  }),
  sql(MONEY, {
    name: 'cancel keeps the coins',
    find: '  PERFORM close_hold(p_generation => g.id, p_charged => 0);\n  v_deliveries := record_event(p_generation => g);\n',
    replace: '  v_deliveries := record_event(p_generation => g);\n',
    tests: [ADMISSION],
  }),
];

const settlementMutants: readonly Mutant[] = [
  sql(MONEY, {
    name: 'settle without the fence',
    find: FENCE,
    replace: FENCE.replace(' AND attempt = p_attempt', ''),
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'settle without the status',
    find: FENCE,
    replace: FENCE.replace(" AND status = 'processing'", ''),
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'settle keeps the slot',
    find: SETTLE_END,
    replace: SETTLE_END.replace('p_freed => 1', 'p_freed => 0'),
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'charged for requested instead of delivered outputs',
    find: 'THEN coins_per_output * v_delivered ELSE 0 END',
    replace: 'THEN coins_quoted ELSE 0 END',
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'success without outputs',
    find: 'IF p_error_code IS NULL AND v_delivered = 0 THEN',
    replace: 'IF false THEN',
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'capture keeps the rest held',
    find: 'AS t (kind, credit, amount) WHERE t.amount > 0;',
    replace: "AS t (kind, credit, amount) WHERE t.amount > 0 AND (t.kind = 'capture' OR h.captured = 0);",
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'release in full after a part was captured',
    find: "('release', 'available', h.released)",
    replace: "('release', 'available', h.amount)",
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'capture in full after a part was delivered',
    find: "('capture', 'revenue', h.captured)",
    replace: "('capture', 'revenue', h.amount)",
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'release without the month',
    find: BOOK_MONTH,
    replace: 'NULL;',
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'release into the current month',
    find: BOOK_MONTH,
    replace: BOOK_MONTH.replace('month = h.month', "month = date_trunc('month', now() AT TIME ZONE 'UTC')::date"),
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'release of only the delivered part',
    find: BOOK_MONTH,
    replace: BOOK_MONTH.replace('reserved - h.amount', 'reserved - h.released'),
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'capture not counted as spent',
    find: BOOK_MONTH,
    replace: BOOK_MONTH.replace(', spent = spent + h.captured', ''),
    tests: [SETTLE],
  }),
  sql(LEDGER, {
    name: 'hold closed twice',
    find: 'WHERE generation_id = p_generation AND closed_at IS NULL RETURNING * INTO h;',
    replace: 'WHERE generation_id = p_generation RETURNING * INTO h;',
    tests: ['domain/ledger/append-only'],
  }),
  sql(MONEY, {
    name: 'cooldown one failure early',
    find: "IF p_error_code = 'content_policy' AND 5 <= (",
    replace: "IF p_error_code = 'content_policy' AND 4 <= (",
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'cooldown one failure late',
    find: "IF p_error_code = 'content_policy' AND 5 <= (",
    replace: "IF p_error_code = 'content_policy' AND 5 < (",
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'cooldown for failures of any kind',
    find: "x.account_id = v_account AND x.error_code = 'content_policy' AND x.completed_at",
    replace: "x.account_id = v_account AND x.status = 'failed' AND x.completed_at",
    tests: [SETTLE],
  }),
  sql(MONEY, {
    name: 'cooldown for old failures',
    find: "AND x.completed_at > now() - interval '10 minutes'",
    replace: '',
    tests: [SETTLE],
  }),
];

const eventMutants: readonly Mutant[] = [
  {
    name: 'two events for one end',
    edits: [
      {
        file: 'packages/server/migrations/0003_generations.sql',
        find: '  generation_id uuid NOT NULL UNIQUE,\n  type ',
        replace: '  generation_id uuid NOT NULL,\n  type ',
      },
      {
        file: `packages/server/migrations/${EVENTS}.sql`,
        find: '  RETURN record_deliveries(',
        replace: `  INSERT INTO event (id, account_id, generation_id, type, created_at)
    SELECT gen_random_uuid(), e.account_id, e.generation_id, e.type, e.created_at FROM event e WHERE e.id = ANY (v_events);
  RETURN record_deliveries(`,
      },
    ],
    tests: ['packages/server/src/domain/generations/run/record-event.db.test.ts'],
  },
  sql(WEBHOOKS, {
    name: 'event to endpoints of every key',
    find: SUBSCRIBED,
    replace: SUBSCRIBED.replace(/\n.*key_id.*\n/, '\n'),
    tests: [EVENT],
  }),
  sql(WEBHOOKS, {
    name: 'event to endpoints that did not subscribe',
    find: SUBSCRIBED,
    replace: SUBSCRIBED.replace('v.type = ANY (e.events)', 'true'),
    tests: [EVENT],
  }),
  sql(WEBHOOKS, {
    name: 'event to paused endpoints',
    find: "('paused', 'held', 'The endpoint is paused.', NULL)",
    replace: "('paused', 'pending', NULL, now())",
    tests: [EVENT],
  }),
  sql(WEBHOOKS, {
    name: 'event skipped by paused endpoints',
    find: NOT_DELETED,
    replace: "AND e.status = 'active' AND",
    tests: [EVENT],
  }),
  sql(WEBHOOKS, {
    name: 'event to endpoints of every account',
    find: OF_ACCOUNT,
    replace: 'JOIN webhook_endpoint e ON true',
    tests: [EVENT],
  }),
  sql(WEBHOOKS, {
    name: 'delivery without a job',
    find: 'IF v_jobs IS NULL THEN RETURN 0; END IF;',
    replace: 'RETURN coalesce(cardinality(v_jobs), 0);',
    tests: [EVENT],
  }),
  sql(MONEY, {
    name: 'cancel without an event',
    find: '  v_deliveries := record_event(p_generation => g);\n  wake := ARRAY[]::text[];\n',
    replace: '  v_deliveries := 0;\n  wake := ARRAY[]::text[];\n',
    tests: [EVENT],
  }),
];

export const endMutants: readonly Mutant[] = [
  ...promotionMutants,
  ...takeAndCancelMutants,
  ...settlementMutants,
  ...eventMutants,
];
