import { code, type Mutant, sql } from './mutant.ts';

const MONEY = 'functions/generations';
const SUBMIT = 'domain/generations/submit/submit-generation';
const RACES = 'domain/generations/submit/submit-races';
const LOCKS = 'domain/generations/submit/lock-order';
const LIMIT = 'domain/generations/run/running-limit';
const ADMISSION = 'domain/generations/submit/admission';

const LOCK = 'SELECT a.* INTO v_account FROM account a WHERE a.id = p_account FOR NO KEY UPDATE;';
const CAP = 'm.spent + m.reserved + p_coins <= v_key.monthly_cap';
const LOOK_UP =
  'SELECT g.id, g.fingerprint INTO v_old FROM generation g WHERE g.account_id = p_account AND g.idempotency_key = p_idempotency_key;';
const COMPARE =
  "outcome := CASE WHEN v_old.fingerprint = p_fingerprint THEN 'replayed' ELSE 'idempotency_conflict' END;";
const AFTER_LOCK = `  -- The previous holder of the lock may have submitted the same idempotency key.\n  ${LOOK_UP}\n  IF FOUND THEN\n`;

export const submitMutants: readonly Mutant[] = [
  sql(MONEY, {
    name: 'cap checked before the lock, then acted on',
    edits: [
      ['  v_queued  bigint;\nBEGIN\n', '  v_queued  bigint;\n  v_used    bigint;\nBEGIN\n'],
      [
        LOCK,
        `SELECT coalesce(sum(m.spent + m.reserved), 0) INTO v_used FROM key_month m
    WHERE m.key_id = p_key AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date;
  ${LOCK}`,
      ],
      [CAP, 'v_used + p_coins <= v_key.monthly_cap'],
    ],
    tests: [RACES],
  }),
  sql(MONEY, {
    name: 'cap ignores held coins',
    find: CAP,
    replace: 'm.spent + p_coins <= v_key.monthly_cap',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'cap ignores spent coins',
    find: CAP,
    replace: 'm.reserved + p_coins <= v_key.monthly_cap',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'cap one coin too low',
    find: CAP,
    replace: 'm.spent + m.reserved + p_coins < v_key.monthly_cap',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'cap one coin too high',
    find: CAP,
    replace: 'm.spent + m.reserved + p_coins <= v_key.monthly_cap + 1',
    tests: [SUBMIT, RACES],
  }),
  sql(MONEY, {
    name: 'first submit of a month ignores the cap',
    find: 'SELECT p_key, v_month, p_coins WHERE v_key.monthly_cap IS NULL OR p_coins <= v_key.monthly_cap',
    replace: 'SELECT p_key, v_month, p_coins',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'first submit of a month may not fill the cap',
    find: 'OR p_coins <= v_key.monthly_cap\n',
    replace: 'OR p_coins < v_key.monthly_cap\n',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'budget ignores held coins',
    find: 'sum(coalesce(b.coins_charged, b.coins_quoted))',
    replace: 'sum(b.coins_charged)',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'budget ignores released coins',
    find: 'sum(coalesce(b.coins_charged, b.coins_quoted))',
    replace: 'sum(b.coins_quoted)',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'budget may not be filled',
    find: 'OR p_coins > budget_left THEN',
    replace: 'OR p_coins >= budget_left THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'per-request cap not enforced',
    find: 'IF p_coins > v_key.request_cap THEN',
    replace: 'IF false THEN',
    tests: ['domain/generations/submit/create-generation'],
  }),
  sql(MONEY, {
    name: 'per-request cap one coin too low',
    find: 'IF p_coins > v_key.request_cap THEN',
    replace: 'IF p_coins >= v_key.request_cap THEN',
    tests: ['domain/generations/submit/create-generation'],
  }),
  sql(MONEY, {
    name: 'no account lock in submit',
    find: LOCK,
    replace: LOCK.replace(' FOR NO KEY UPDATE', ''),
    tests: [RACES],
  }),
  sql(MONEY, {
    name: 'submit locks the account FOR UPDATE',
    find: LOCK,
    replace: LOCK.replace('NO KEY ', ''),
    tests: [LOCKS],
  }),
  code('domain/accounts/accounts.store.ts', {
    name: 'change of a key locks it FOR UPDATE',
    find: 'AND account_id = $2 FOR NO KEY UPDATE`',
    replace: 'AND account_id = $2 FOR UPDATE`',
    tests: [LOCKS],
  }),
  sql(MONEY, {
    name: 'idempotency key not looked up again after the lock',
    find: AFTER_LOCK,
    replace: AFTER_LOCK.replace('IF FOUND', 'IF false'),
    tests: [RACES],
  }),
  sql(MONEY, {
    name: 'idempotency key of any account',
    find: `BEGIN\n  ${LOOK_UP}`,
    replace: `BEGIN\n  ${LOOK_UP.replace('g.account_id = p_account AND ', '')}`,
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'fingerprint not compared',
    find: `BEGIN\n  ${LOOK_UP}\n  IF FOUND THEN\n    ${COMPARE}`,
    replace: `BEGIN\n  ${LOOK_UP}\n  IF FOUND THEN\n    outcome := 'replayed';`,
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'fingerprint not compared after the lock',
    find: `${AFTER_LOCK}    ${COMPARE}`,
    replace: `${AFTER_LOCK}    outcome := 'replayed';`,
    tests: [RACES],
  }),
  sql(MONEY, {
    name: 'balance must be more than the price',
    find: 'IF v_account.available < p_coins THEN',
    replace: 'IF v_account.available <= p_coins THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'balance may be one coin short',
    find: 'IF v_account.available < p_coins THEN',
    replace: 'IF v_account.available < p_coins - 1 THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'hold not inserted',
    find: '  INSERT INTO hold (generation_id, account_id, key_id, month, amount) VALUES (p_id, p_account, p_key, v_month, p_coins);\n',
    replace: '',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'hold without its transfer',
    find: "  INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id) VALUES (p_account, 'hold', 'available', 'held', p_coins, p_id);\n",
    replace: '',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'hold of one output only',
    edits: [
      [
        'VALUES (p_id, p_account, p_key, v_month, p_coins);',
        'VALUES (p_id, p_account, p_key, v_month, p_coins_per_output);',
      ],
      ["'hold', 'available', 'held', p_coins, p_id)", "'hold', 'available', 'held', p_coins_per_output, p_id)"],
    ],
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'month not reserved',
    find: 'DO UPDATE SET reserved = m.reserved + p_coins',
    replace: 'DO UPDATE SET reserved = m.reserved',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'revoked key may spend',
    find: 'IF v_key.revoked_at IS NOT NULL THEN',
    replace: 'IF false THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'expired key may spend',
    find: 'IF v_key.expires_at <= now() THEN',
    replace: 'IF false THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'locked account may spend',
    find: 'IF v_account.locked_at IS NOT NULL THEN',
    replace: 'IF false THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'cooldown ignored',
    find: 'IF v_account.cooldown_until > v_now THEN',
    replace: 'IF false THEN',
    tests: [SUBMIT],
  }),
  sql(MONEY, {
    name: 'admits one too many',
    find: 'v_admit := v_account.slots < v_account.run_limit;',
    replace: 'v_admit := v_account.slots <= v_account.run_limit;',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'admission ignores the other models',
    find: 'v_admit := v_running + v_queued < v_account.run_limit;',
    replace: 'v_admit := false;',
    tests: [LIMIT],
  }),
  sql(MONEY, {
    name: 'admission counts the queued of other models',
    find: "count(*) FILTER (WHERE g.status = 'queued' AND g.model_id = p_model_id)",
    replace: "count(*) FILTER (WHERE g.status = 'queued')",
    tests: [LIMIT],
  }),
  sql(MONEY, {
    name: 'admitted without taking a slot',
    find: '    UPDATE account SET slots = slots + 1 WHERE id = p_account;\n',
    replace: '',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'job for a generation that was not admitted',
    find: `    PERFORM enqueue_job(p_queue => p_pool, p_id => p_id, p_data => jsonb_build_object('generationId', p_id),\n      p_start_after => now());\n  ELSE\n`,
    replace: `  ELSE\n    PERFORM enqueue_job(p_queue => p_pool, p_id => p_id, p_data => jsonb_build_object('generationId', p_id),\n      p_start_after => now());\n`,
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'admitted without a job',
    find: `    PERFORM enqueue_job(p_queue => p_pool, p_id => p_id, p_data => jsonb_build_object('generationId', p_id),\n      p_start_after => now());\n`,
    replace: '',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'two waiting generations with one number',
    find: 'UPDATE account SET queue_tail = v_number WHERE id = p_account;',
    replace: 'NULL;',
    tests: [ADMISSION],
  }),
  sql(MONEY, {
    name: 'queue position ignores generations with a slot',
    find: 'FROM account a WHERE a.id = p_account) + count_waiting(p_account => p_account, p_upto => 0);',
    replace: 'FROM account a WHERE a.id = p_account) * 0 + count_waiting(p_account => p_account, p_upto => 0);',
    tests: [ADMISSION],
  }),
];
