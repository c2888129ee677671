import { type Mutant, sql } from './mutant.ts';

const MONEY = 'functions/generations';
const BY_MODEL = 'functions/admission';
const LIMIT = 'domain/generations/run/running-limit';

/** The running limit that the models of an account share. */
export const limitMutants: readonly Mutant[] = [
  sql(MONEY, {
    name: 'take beyond the running limit',
    find: 'asked.place > a.run_limit - t.running RETURNING',
    replace: 'asked.place > a.run_limit - t.running + 1 RETURNING',
    tests: [LIMIT],
  }),
  sql(MONEY, {
    name: 'take parks the oldest',
    find: 'ORDER BY g.created_at, g.id) AS place',
    replace: 'ORDER BY g.created_at DESC, g.id DESC) AS place',
    tests: [LIMIT],
  }),
  sql(MONEY, {
    name: 'take returns what it parked',
    find: " AND id <> ALL (coalesce(v_beyond, '{}'))",
    replace: '',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'parked generations get no job',
    find: 'IF v_parked AND v_free > 0 THEN',
    replace: 'IF false THEN',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'parked generations get a job whose id is in use',
    find: 'overlay(gen_random_uuid()::text PLACING left(v_next.id::text, 18) FROM 1)::uuid',
    replace: 'v_next.id',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'every parked generation gets a job',
    find: ' AND t.place <= v_free',
    replace: '',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'admission of another model leaves no gap in the queue',
    find: 'IF first_waiting(p_account => p_account) < v_next.queue_number THEN',
    replace: 'IF false THEN',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'end admits one model only',
    find: '    END LOOP;\n  END LOOP;\n  IF v_change',
    replace: '    END LOOP;\n    EXIT;\n  END LOOP;\n  IF v_change',
    tests: [LIMIT],
  }),
  sql(BY_MODEL, {
    name: 'each model fills the whole limit',
    find: 'SELECT v_free - count(*) INTO v_need',
    replace: 'SELECT v_free INTO v_need',
    tests: [LIMIT],
  }),
];
