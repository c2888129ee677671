import { code, type Mutant } from './mutant.ts';

const ROLES = 'http/console/roles';
const APP = 'http/console/console-app';
const KEYS = 'http/console/keys';
const LEDGER = 'domain/ledger/list-ledger';
const PAYMENTS = 'http/payments';
const USAGE = 'domain/ledger/usage/usage';
const BUDGETS = 'domain/budgets/budgets';
const PAIRINGS = 'http/console/pairings.db.test.ts';
const ALERTS = 'domain/budgets/alert-budgets';
const BUDGETS_FILE = 'domain/budgets/budgets.store.ts';
const USAGE_FILE = 'domain/ledger/usage/usage.store.ts';
const ADMIT_FILE = 'http/console/admit-session.ts';
const CROSS_SITE_FILE = 'http/console/refuse-cross-site.ts';

export const consoleMutants: readonly Mutant[] = [
  code(ADMIT_FILE, {
    name: 'role not checked',
    find: 'if (!allows(needs.roles, role)) {',
    replace: 'if (needs.roles.length === 0) {',
    tests: [ROLES],
  }),
  code(ADMIT_FILE, {
    name: 'membership not checked',
    find: 'if (found === null) throw noSuchAccount();\n  return found.role;',
    replace: "return found?.role ?? 'owner';",
    tests: [ROLES],
  }),
  code(ADMIT_FILE, {
    name: 'recent sign-in not required',
    find: 'if (needs.fresh === true) requireFresh(context.services.clock, signedIn);',
    replace: '',
    tests: [ROLES],
  }),
  code(ADMIT_FILE, {
    name: 'spending open to every member',
    find: 'row.scope === null ? SCOPE_ROLES.read : SCOPE_ROLES[row.scope];',
    replace: 'SCOPE_ROLES.read;',
    tests: [ROLES],
  }),
  code(CROSS_SITE_FILE, {
    name: 'fetch metadata not checked',
    find: "if (site !== undefined && site !== 'same-origin') throw",
    replace: "if (site === 'never') throw",
    tests: [APP],
  }),
  code(CROSS_SITE_FILE, {
    name: 'origin not checked',
    find: 'headers.origin !== undefined ? headers.origin !== options.origin : site === undefined',
    replace: 'headers.origin === undefined && site === undefined',
    tests: [APP],
  }),
  code(CROSS_SITE_FILE, {
    name: 'header of the console not required',
    find: 'if (headers[CONSOLE_HEADER.name] !== CONSOLE_HEADER.value) {',
    replace: "if (headers[CONSOLE_HEADER.name] === '0') {",
    tests: [APP],
  }),
  code('domain/accounts/authenticate-key.ts', {
    name: 'revoked key works for seconds',
    find: 'const CACHE_LIFE_MS = 750;',
    replace: 'const CACHE_LIFE_MS = 4_500;',
    tests: [KEYS],
  }),
  code('domain/ledger/list-ledger.ts', {
    name: 'cursor of the ledger works for another account',
    find: 'if (payload === null || payload[0] !== accountId) {',
    replace: 'if (payload === null) {',
    tests: [LEDGER],
  }),
  code('domain/ledger/list-ledger.ts', {
    name: 'balance after a transfer is the balance before it',
    find: 'const availableAfter = available;\n    available -= transfer.availableChange;',
    replace: 'available -= transfer.availableChange;\n    const availableAfter = available;',
    tests: [LEDGER],
  }),
  code(USAGE_FILE, {
    name: 'captures counted again at each request',
    find: 'SET transfer_id = b.last FROM',
    replace: 'SET transfer_id = p.transfer_id FROM',
    tests: [USAGE],
  }),
  code(USAGE_FILE, {
    name: 'holds counted as usage',
    find: "WHERE b.kind = 'capture' GROUP BY",
    replace: "WHERE b.kind IN ('capture', 'hold') GROUP BY",
    tests: [USAGE],
  }),
  code('domain/generations/erase-account-generations.ts', {
    name: 'projects kept in the usage after an erasure',
    find: '  await forgetUsage(services, accountId);\n',
    replace: '',
    tests: [USAGE],
  }),
  code('domain/payments/receive-payment-event.ts', {
    name: 'repeated payment event applied again',
    find: "  if (await isApplied(tx, event.id)) return 'known';\n",
    replace: '',
    tests: [PAYMENTS],
  }),
  code('domain/payments/apply-payment-event.ts', {
    name: 'payment of another amount credited',
    find: 'if (change.amount !== checkout.amount || change.currency !== checkout.currency)',
    replace: 'if (change.currency !== checkout.currency)',
    tests: [PAYMENTS],
  }),
  code('domain/payments/receive-payment-event.ts', {
    name: 'refund before the payment forgotten',
    find: "    if (application === 'applied') await applyParkedEvents(tx, { accountId, rules });\n",
    replace: '',
    tests: [PAYMENTS],
  }),
  code('domain/payments/checkouts.store.ts', {
    name: 'coins of a won dispute kept',
    find: 'payment_ref = c.payment_ref AND is_taken\n   ) d ON true WHERE c.id = $1',
    replace: 'payment_ref = c.payment_ref\n   ) d ON true WHERE c.id = $1',
    tests: [PAYMENTS],
  }),
  code('payments/stripe-payments.ts', {
    name: 'payment event with an invalid signature accepted',
    find: 'if (!check.ok) throw',
    replace: 'if (!check.ok && check.reason === "malformed") throw',
    tests: [PAYMENTS],
  }),
  code(BUDGETS_FILE, {
    name: 'budget alert claimed by every sweep',
    find: '\n     AND (alerted_month IS NULL OR (alerted_month, alerted_percent) < ($4::date, $5::int)) RETURNING id',
    replace: ' RETURNING id',
    tests: [ALERTS],
  }),
  code(BUDGETS_FILE, {
    name: 'budget alert claimed for old settings',
    find: 'AND id = $2 AND changed_at = $3::timestamptz',
    replace: 'AND id = $2 AND $3::timestamptz IS NOT NULL',
    tests: [ALERTS],
  }),
  code(BUDGETS_FILE, {
    name: 'changed budget marked as compared',
    find: 'AND b.id = j.id AND b.changed_at = j.changed_at::timestamptz',
    replace: 'AND b.id = j.id',
    tests: [ALERTS],
  }),
  code('domain/budgets/alert-budgets.ts', {
    name: 'budget alert claimed in a transaction of its own',
    find: 'if (!(await claimAlert(tx, { accountId, budgetId, changedAt, month: budget.month, percent }))) return false;',
    replace:
      'if (!(await withTx(services.db, (own) => claimAlert(own, { accountId, budgetId, changedAt, month: budget.month, percent })))) return false;',
    tests: [ALERTS],
  }),
  code('domain/webhooks/deliveries/deliveries.store.ts', {
    name: 'budget alert sent to every endpoint',
    find: 'AND $3 = ANY (e.events)',
    replace: 'AND $3::text IS NOT NULL',
    tests: [ALERTS],
  }),
  code('domain/webhooks/deliveries/delivery-erasure.store.ts', {
    name: 'project kept in a delivery after an erasure',
    find: "notice = jsonb_set(d.notice, '{data,budget,projectId}', 'null'), ",
    replace: '',
    tests: [BUDGETS],
  }),
  code('domain/people/pairings.store.ts', {
    name: 'approved pairing kept after its key was created',
    find: '`DELETE FROM pairing WHERE secret_hash = $1 AND approved_at IS NOT NULL AND expires_at > now()\n   RETURNING',
    replace:
      '`UPDATE pairing SET denied_at = NULL WHERE secret_hash = $1 AND approved_at IS NOT NULL AND expires_at > now()\n   RETURNING',
    tests: [PAIRINGS],
  }),
  code('domain/people/memberships.ts', {
    name: 'role not checked when the key of a pairing is created',
    find: 'return role !== null && MAY_CREATE_KEYS.includes(role);',
    replace: 'return role !== null;',
    tests: [PAIRINGS],
  }),
];
