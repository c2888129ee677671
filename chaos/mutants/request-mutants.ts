import { code, type Mutant } from './mutant.ts';

const CREATE = 'domain/generations/submit/create-generation';
const LIST = 'domain/generations/read/list-generations';
const CREATE_FILE = 'domain/generations/submit/create-generation.ts';
const LIST_FILE = 'domain/generations/read/list-generations.ts';

const quoteMutants: readonly Mutant[] = [
  code(CREATE_FILE, {
    name: 'quote not bound to the account',
    find: '    terms.accountId !== caller.accountId ||\n',
    replace: '',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'quote not bound to the model',
    find: '    terms.modelId !== body.modelId ||\n',
    replace: '',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'quote not bound to the effect',
    find: '    terms.effectId !== (body.effectId ?? null) ||\n',
    replace: '',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'quote not bound to the params',
    find: ' ||\n    terms.paramsHash !== hashParams(body.params)\n',
    replace: '\n',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'expired quote accepted at any price',
    find: 'if (expired && terms.coins !== current.coins) {',
    replace: 'if (false) {',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'expired quote rejected at the same price',
    find: 'if (expired && terms.coins !== current.coins) {',
    replace: 'if (expired) {',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'valid quote does not lock the price',
    find: 'if (expired && terms.coins !== current.coins) {',
    replace: 'if (terms.coins !== current.coins) {',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'quote accepted, but current price charged',
    find: 'return { ...current, coins: terms.coins, coinsPerOutput: terms.coinsPerOutput, outputs: terms.outputs };',
    replace: 'return current;',
    tests: [CREATE],
  }),
  code('platform/signed-token.ts', {
    name: 'signature of a token not checked',
    find: 'if (!equalInConstantTime({ a: Buffer.from(expected), b: Buffer.from(mac) })) return null;',
    replace: 'if (mac === "") return null;',
    tests: ['domain/quotes/quote-token.test.ts'],
  }),
  code('domain/quotes/quote-token.ts', {
    name: 'params hashed without canonical order',
    find: 'return sha256(canonicalJson(params))',
    replace: 'return sha256(JSON.stringify(params))',
    tests: ['domain/quotes/quote-token.test.ts'],
  }),
  code('domain/quotes/choose-route.ts', {
    name: 'test account reaches a real provider',
    find: "if (mode === 'test') return",
    replace: "if (mode === 'test' && offers?.size === 0) return",
    tests: ['domain/quotes/choose-route.test.ts'],
  }),
];

export const requestMutants: readonly Mutant[] = [
  ...quoteMutants,
  code(CREATE_FILE, {
    name: 'maxCoins ignored',
    find: 'body.maxCoins !== undefined && current.coins > body.maxCoins',
    replace: 'body.maxCoins !== undefined && current.coins > body.maxCoins * 2',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'equal bodies with different formatting conflict',
    find: "sha256(request.body === undefined ? '' : canonicalJson(request.body));",
    replace: "sha256(request.body === undefined ? '' : JSON.stringify(request.body));",
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'repeat with another body returns the original',
    find: "if (!found.fingerprint?.equals(key.fingerprint)) throw refusal('idempotency_conflict');",
    replace: '',
    tests: [CREATE],
  }),
  code(CREATE_FILE, {
    name: 'repeat validated like a new submit',
    find: 'if (found.originalId !== null) {',
    replace: 'if (found.originalId === undefined) {',
    tests: [CREATE],
  }),
  code(LIST_FILE, {
    name: 'cursor not bound to the account',
    find: 'payload[0] !== given.accountId || ',
    replace: '',
    tests: [LIST],
  }),
  code(LIST_FILE, {
    name: 'cursor not bound to the filters',
    find: ' || payload[1] !== given.filterHash',
    replace: '',
    tests: [LIST],
  }),
  code(LIST_FILE, {
    name: 'cursor loses microseconds',
    find: 'at ?? page.last.createdAt.toISOString(),',
    replace: 'page.last.createdAt.toISOString(),',
    tests: [LIST],
  }),
  code('domain/generations/generations.store.ts', {
    name: 'a row of any account',
    find: 'FROM generation g WHERE g.account_id = $1 AND g.id = $2`',
    replace: 'FROM generation g WHERE $1::uuid IS NOT NULL AND g.id = $2`',
    tests: ['domain/generations/read/account-reads'],
  }),
  code('domain/accounts/accounts.store.ts', {
    name: 'held coins not counted as spent',
    find: 'coalesce(m.spent + m.reserved, 0) AS spent',
    replace: 'coalesce(m.spent, 0) AS spent',
    tests: ['domain/generations/read/account-reads'],
  }),
];
