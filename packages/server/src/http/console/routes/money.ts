import { exportLedger } from '../../../domain/ledger/export-ledger.ts';
import { listLedger } from '../../../domain/ledger/list-ledger.ts';
import { getUsage } from '../../../domain/ledger/usage/get-usage.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

const CONTENT_TYPES = { csv: 'text/csv; charset=utf-8; header=present', jsonl: 'application/jsonl; charset=utf-8' };

export const moneyRoutes: ConsoleRoutes<'listLedger' | 'exportLedger' | 'getUsage'> = {
  listLedger: (services, { accountId, query }) => listLedger(services, accountId, query),

  exportLedger: async (services, { accountId, query: { format, before } }) => ({
    name: `ledger-${new Date().toISOString().slice(0, 10)}.${format}`,
    contentType: CONTENT_TYPES[format],
    text: exportLedger(services, { accountId, format, before: before ?? null }),
  }),

  getUsage: (services, { accountId, query: { from, to } }) => getUsage(services, { accountId, from, to }),
};
