import Type from 'typebox';
import { ExportLedgerQuery, LedgerPage, ListLedgerQuery, Usage, UsageQuery } from './money.ts';
import { type ConsoleOperationRow, changes, EVERYONE, Id, OfAccount, PAYERS, reads } from './operation-row.ts';
import { Checkout, CoinPackages, CreateCheckoutBody, CreatedCheckout } from './payments.ts';

/** Rows of the console's table: what an account has, paid and used. */
export const moneyOperations = {
  listLedger: {
    method: 'GET',
    path: '/api/accounts/{accountId}/ledger',
    summary: 'List transfers, newest first',
    roles: EVERYONE,
    params: OfAccount,
    query: ListLedgerQuery,
    response: LedgerPage,
    status: 200,
    problems: reads,
  },
  exportLedger: {
    method: 'GET',
    path: '/api/accounts/{accountId}/ledger/export',
    summary: 'Download transfers as CSV or JSON lines, newest first',
    roles: EVERYONE,
    params: OfAccount,
    query: ExportLedgerQuery,
    response: Type.String(),
    file: true,
    status: 200,
    problems: reads,
  },
  getUsage: {
    method: 'GET',
    path: '/api/accounts/{accountId}/usage',
    summary: 'Get the coins charged by day, model, key and project',
    roles: EVERYONE,
    params: OfAccount,
    query: UsageQuery,
    response: Usage,
    status: 200,
    problems: reads,
  },
  listCoinPackages: {
    method: 'GET',
    path: '/api/accounts/{accountId}/coin-packages',
    summary: 'List what coins cost, or whom to ask for them',
    roles: EVERYONE,
    params: OfAccount,
    response: CoinPackages,
    status: 200,
    problems: reads,
  },
  createCheckout: {
    method: 'POST',
    path: '/api/accounts/{accountId}/checkouts',
    summary: 'Begin to buy coins',
    roles: PAYERS,
    params: OfAccount,
    body: CreateCheckoutBody,
    response: CreatedCheckout,
    status: 201,
    problems: changes,
  },
  getCheckout: {
    method: 'GET',
    path: '/api/accounts/{accountId}/checkouts/{checkoutId}',
    summary: 'Get a purchase of coins',
    roles: EVERYONE,
    params: Type.Object({ accountId: Id, checkoutId: Id }),
    response: Checkout,
    status: 200,
    problems: reads,
  },
} as const satisfies Record<string, ConsoleOperationRow>;
