import { code, type Mutant, sql } from './mutant.ts';

const APPEND_ONLY = 'domain/ledger/append-only';
const STATES = 'domain/generations/generation-states';
const VERIFY = 'domain/ledger/verify-books';
/** The last migration that defines the trigger of the state machine. */
const GUARD = 'functions/guards';
const COINS = 'domain/ledger/move-coins';

export const ledgerMutants: readonly Mutant[] = [
  sql('0002_ledger', {
    name: 'ledger may be rewritten',
    find: 'CREATE TRIGGER transfer_append_only BEFORE UPDATE OR DELETE ON transfer',
    replace: 'CREATE TRIGGER transfer_append_only BEFORE DELETE ON transfer',
    tests: [APPEND_ONLY],
  }),
  sql('0002_ledger', {
    name: 'ledger may be truncated',
    find: 'CREATE TRIGGER transfer_no_truncate BEFORE TRUNCATE ON transfer',
    replace: 'CREATE TRIGGER transfer_no_truncate AFTER INSERT ON audit_log',
    tests: [APPEND_ONLY],
  }),
  sql('0002_ledger', {
    name: 'two captures of one generation',
    find: 'CREATE UNIQUE INDEX transfer_once',
    replace: 'CREATE INDEX transfer_once',
    tests: [APPEND_ONLY],
  }),
  sql('0002_ledger', {
    name: 'grant without a reason',
    find: "CHECK (kind NOT IN ('grant', 'adjust') OR (actor IS NOT NULL AND reason IS NOT NULL))",
    replace: 'CHECK (true)',
    tests: [APPEND_ONLY],
  }),
  sql(GUARD, {
    name: 'fold ignores debits of held',
    find: "WHEN debit = 'held' THEN -amount ELSE 0 END",
    replace: 'ELSE 0 END',
    tests: ['domain/generations/run/settle-generation'],
  }),
  sql(GUARD, {
    name: 'fold of one transfer per statement',
    find: 'FROM moved GROUP BY account_id',
    replace: 'FROM (SELECT * FROM moved LIMIT 1) m GROUP BY account_id',
    tests: [APPEND_ONLY],
  }),
  sql(GUARD, {
    name: 'fold of the transfers of all accounts into each',
    find: ') f WHERE a.id = f.account_id;',
    replace: ') f WHERE a.id IN (SELECT account_id FROM moved);',
    tests: [APPEND_ONLY],
  }),
  sql(GUARD, {
    name: 'fold of rows of any table',
    find: `AS $$
BEGIN
  IF TG_RELID <> 'public.transfer'::regclass THEN RAISE EXCEPTION 'only transfers move coins' USING ERRCODE = 'insufficient_privilege'; END IF;
  UPDATE account a SET`,
    replace: `AS $$
BEGIN
  UPDATE account a SET`,
    tests: [APPEND_ONLY],
  }),
  sql('0021_fold_per_statement', {
    name: 'transfers folded twice',
    find: 'DROP TRIGGER transfer_fold ON transfer;\nCREATE TRIGGER transfer_fold',
    replace: 'CREATE TRIGGER transfer_fold_all',
    tests: [APPEND_ONLY],
  }),
  sql('0005_rights', {
    name: 'service may write balances',
    find: 'GRANT UPDATE (slots,',
    replace: 'GRANT UPDATE (available, slots,',
    tests: [APPEND_ONLY],
  }),
  sql('0005_rights', {
    name: 'service may open an account with coins',
    find: 'GRANT INSERT (id, owner_id, mode,',
    replace: 'GRANT INSERT (available, id, owner_id, mode,',
    tests: [APPEND_ONLY],
  }),
  sql('0005_rights', {
    name: 'service may rewrite holds',
    find: 'GRANT UPDATE (captured, released, closed_at) ON hold',
    replace: 'GRANT UPDATE ON hold',
    tests: [APPEND_ONLY],
  }),
  sql(GUARD, {
    name: 'ended generation may change',
    find: "IF NEW.status = OLD.status AND OLD.status IN ('queued', 'processing') THEN",
    replace: 'IF NEW.status = OLD.status THEN',
    tests: [STATES],
  }),
  sql(GUARD, {
    name: 'running generation may be canceled',
    find: "('processing', 'succeeded'), ('processing', 'failed')",
    replace: "('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'canceled')",
    tests: [STATES],
  }),
  sql(GUARD, {
    name: 'erasure may change the charge',
    find: 'AND to_jsonb(NEW) - c_said = to_jsonb(OLD) - c_said THEN',
    replace: 'THEN',
    tests: [STATES],
  }),
  sql('0003_generations', {
    name: 'inputs across accounts',
    find: '  FOREIGN KEY (account_id, asset_id) REFERENCES asset (account_id, id) ON DELETE CASCADE',
    replace: '  FOREIGN KEY (asset_id) REFERENCES asset (id) ON DELETE CASCADE',
    tests: ['domain/generations/submit/submit-generation'],
  }),
  code('domain/ledger/invariants.store.ts', {
    name: 'checker reads half of a balance',
    find: 'WHERE a.available <> coalesce(t.available, 0) OR a.held <> coalesce(t.held, 0)',
    replace: 'WHERE a.available <> coalesce(t.available, 0) AND a.held <> coalesce(t.held, 0)',
    tests: [VERIFY],
  }),
  code('domain/ledger/invariants.store.ts', {
    name: 'checker ignores generations without a hold',
    find: 'WHERE h.generation_id IS NULL OR (h.closed_at IS NULL) <>',
    replace: 'WHERE (h.closed_at IS NULL) <>',
    tests: [VERIFY],
  }),
  code('domain/ledger/invariants.store.ts', {
    name: 'checker does not count slots',
    find: 'WHERE a.slots <> coalesce(n.c, 0)',
    replace: 'WHERE a.slots < coalesce(n.c, 0)',
    tests: [VERIFY],
  }),
  code('domain/ledger/adjust-coins.ts', {
    name: 'adjustment the wrong way round',
    find: "credit: coins > 0 ? 'available' : 'adjustment',",
    replace: "credit: coins < 0 ? 'available' : 'adjustment',",
    tests: [COINS],
  }),
  code('domain/ledger/grant-coins.ts', {
    name: 'grant of a fraction',
    find: 'Number.isSafeInteger(grant.coins) && grant.coins > 0',
    replace: 'grant.coins > 0',
    tests: [COINS],
  }),
];
