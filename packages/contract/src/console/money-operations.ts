import Type from 'typebox';
import { ExportTransfersQuery, LedgerPage, ListTransfersQuery, Usage, UsageQuery } from './money.ts';
import { type ConsoleOperationRow, EVERYONE, OfAccount, reads } from './operation-row.ts';

/** Rows of the console's table: what an account has, paid and used. */
export const moneyOperations = {
  listTransfers: {
    method: 'GET',
    path: '/api/accounts/{accountId}/transfers',
    summary: 'List transfers, newest first',
    roles: EVERYONE,
    params: OfAccount,
    query: ListTransfersQuery,
    response: LedgerPage,
    status: 200,
    problems: reads,
  },
  exportTransfers: {
    method: 'GET',
    path: '/api/accounts/{accountId}/transfers/export',
    summary: 'Download transfers as CSV or JSON lines, newest first',
    roles: EVERYONE,
    params: OfAccount,
    query: ExportTransfersQuery,
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
} as const satisfies Record<string, ConsoleOperationRow>;
