import { code, type Mutant, sql } from './mutant.ts';

const FUNCTIONS = 'functions/openai';
const CALLS = 'domain/generations/submit/claim-openai-call';
const API = 'http/openai/openai';

export const openaiMutants: readonly Mutant[] = [
  sql(FUNCTIONS, {
    name: 'identical requests do not take turns',
    find: "  PERFORM pg_advisory_xact_lock(hashtextextended(p_account::text || encode(p_fingerprint, 'hex'), 0));\n",
    replace: '',
    tests: [CALLS],
  }),
  sql(FUNCTIONS, {
    name: 'a late first attempt pays again',
    find: 'p_attempt > 0 OR NOT c.has_first)',
    replace: 'p_attempt > 0)',
    tests: [CALLS],
  }),
  sql(FUNCTIONS, {
    name: 'all retries continue the latest of identical calls',
    find: 'ORDER BY c.attempt < coalesce(p_attempt, 0) DESC, c.created_at DESC',
    replace: 'ORDER BY c.created_at DESC',
    tests: [CALLS],
  }),
  code('domain/generations/submit/claim-openai-call.ts', {
    name: 'a call of any key',
    find: 'canonicalJson([caller.keyId, request.body])',
    replace: 'canonicalJson([request.body])',
    tests: [CALLS],
  }),
  sql(FUNCTIONS, {
    name: 'the retry of a failed call gets its failure',
    find: "      AND (g.id IS NULL OR g.status NOT IN ('failed', 'canceled'))\n",
    replace: '',
    tests: [CALLS, API],
  }),
  sql(FUNCTIONS, {
    name: 'a long generation is paid twice',
    find: "c.seen_at > v_since OR (g.id IS NOT NULL AND coalesce(g.completed_at, 'infinity') > v_since)",
    replace: 'c.seen_at > v_since',
    tests: [CALLS],
  }),
];
