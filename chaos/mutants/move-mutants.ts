import { code, type Mutant, sql } from './mutant.ts';

const MOVES = 'domain/moves/move-account';
const PAYMENTS = 'domain/moves/payments-while-moving';

export const moveMutants: readonly Mutant[] = [
  sql('functions/generations', {
    name: 'an account submits while it moves',
    find: 'IF v_account.moving_to IS NOT NULL THEN',
    replace: 'IF false THEN',
    tests: [MOVES],
  }),
  sql('functions/guards', {
    name: 'a key is created after its account departed',
    find: '  IF v_moved IS NOT NULL THEN\n',
    replace: '  IF false THEN\n',
    tests: [MOVES],
  }),
  sql('functions/events', {
    name: 'positions of the old cell are after events of the new one',
    find: 'IF current_epoch() <= p_above THEN',
    replace: 'IF false THEN',
    tests: [MOVES],
  }),
  code('domain/moves/moving-rows.store.ts', {
    name: 'a returning account brings transfers that were never away',
    find: ' WHERE r.origin_cell IS DISTINCT FROM $3 ORDER BY r.id',
    replace: ' ORDER BY r.id',
    tests: [MOVES],
  }),
  code('domain/moves/arrive.ts', {
    name: 'a returning account does not get the coins of its first stay',
    find: 'coins: await findNetMoved(tx, accountId),',
    replace: 'coins: 0,',
    tests: [MOVES],
  }),
  code('domain/moves/depart.ts', {
    name: 'secrets stay sealed by the old cell',
    find: 'secret_sealed: seal({ keys: to.keys, plaintext, rowId: row.id })',
    replace: 'secret_sealed: row.secret_sealed',
    tests: [MOVES],
  }),
  code('domain/moves/end-move.ts', {
    name: 'a canceled move sends no more webhooks',
    find: "    if (move.state === 'departed') await resumePending(tx, accounts);\n",
    replace: '',
    tests: [MOVES],
  }),
  code('domain/moves/end-move.ts', {
    name: 'a canceled move forgets the payments that arrived',
    find: '    for (const accountId of accounts) await applyParkedEvents(tx, { accountId, rules: from.paymentRules });\n',
    replace: '',
    tests: [PAYMENTS],
  }),
  code('domain/moves/move-account.ts', {
    name: 'a move leaves parked payments behind',
    find: '  await carryParkedEvents(from, to, accountIds);\n',
    replace: '',
    tests: [PAYMENTS],
  }),
  code('domain/payments/receive-payment-event.ts', {
    name: 'every cell rebuilds an unknown checkout',
    find: 'const belongsHere = isCarried || order?.cell === rules.cell;',
    replace: 'const belongsHere = true;',
    tests: [PAYMENTS],
  }),
];
