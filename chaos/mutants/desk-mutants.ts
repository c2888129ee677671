import { code, type Mutant, sql } from './mutant.ts';

const DESK = 'http/desk/desk-app';
const SIGN_IN = 'identity/desk-sign-in';
const RIGHTS = 'entry/desk-rights';

export const deskMutants: readonly Mutant[] = [
  code('http/desk/admit-operator.ts', {
    name: 'desk open to everybody who is signed in',
    find: 'if ((await findOperator(context.services, signedIn.personId)) === null) {',
    replace: 'if (signedIn.personId === "") {',
    tests: [DESK],
  }),
  code('http/desk/admit-operator.ts', {
    name: 'money at the desk without a recent sign-in',
    find: 'if (fresh) requireFresh(context.services.clock, signedIn);',
    replace: '',
    tests: [DESK],
  }),
  code('identity/require-operator.ts', {
    name: 'password alone opens the desk',
    find: 'if (secondFactor && path === PASSWORD && !operator.twoFactor) {',
    replace: 'if (secondFactor && path === "" && !operator.twoFactor) {',
    tests: [SIGN_IN],
  }),
  code('identity/require-operator.ts', {
    name: 'anybody signs in at the desk',
    find: 'if (operator === null) {',
    replace: 'if (personId === "") {',
    tests: [SIGN_IN],
  }),
  code('identity/hash-session-tokens.ts', {
    name: 'session of the console valid at the desk',
    find: "sha256(listener === 'console' ?",
    replace: "sha256(listener !== '' ?",
    tests: [SIGN_IN],
  }),
  sql('rights/desk', {
    name: 'desk may create operators',
    find: 'GRANT INSERT ON audit_log, transfer TO atelier_desk;',
    replace: 'GRANT INSERT ON audit_log, transfer, desk_operator TO atelier_desk;',
    tests: [RIGHTS],
  }),
  sql('rights/desk', {
    name: 'desk may write balances',
    find: 'GRANT UPDATE (run_limit,',
    replace: 'GRANT UPDATE (available, run_limit,',
    tests: [RIGHTS],
  }),
];
