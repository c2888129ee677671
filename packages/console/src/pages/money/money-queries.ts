import { type ExportFormat, MAX_USAGE_DAYS } from '@atelier/contract/console';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { buildUrl, request } from '../../api/request.ts';

const PAGE_SIZE = 50;
const DAY_MS = 86_400_000;
const EVERY_MS = 60_000;
/** While older charges are still being counted. */
const SOON_MS = 2_000;

export const ledgerQuery = (accountId: string) =>
  infiniteQueryOptions({
    queryKey: ['ledger', accountId],
    queryFn: ({ pageParam }) =>
      request('GET /api/accounts/{accountId}/ledger', {
        params: { accountId },
        query: { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** The address of a file with the newest transfers. The browser saves it. */
export const exportUrl = (accountId: string, format: ExportFormat): string =>
  buildUrl('/api/accounts/{accountId}/ledger/export', { params: { accountId }, query: { format } });

export const PERIODS = [7, 30, MAX_USAGE_DAYS] as const;
export type Period = (typeof PERIODS)[number];

/** The last days, with today, in UTC. */
export function daysOf(period: number, nowMs: number): string[] {
  return Array.from({ length: period }, (_, n) =>
    new Date(nowMs - (period - 1 - n) * DAY_MS).toISOString().slice(0, 10),
  );
}

export const usageQuery = (accountId: string, days: readonly string[]) => {
  const [from = '', to = ''] = [days[0], days.at(-1)];
  return queryOptions({
    queryKey: ['usage', accountId, from, to],
    queryFn: () => request('GET /api/accounts/{accountId}/usage', { params: { accountId }, query: { from, to } }),
    refetchInterval: ({ state }) => (state.data?.isComplete === false ? SOON_MS : EVERY_MS),
  });
};

/** What is spent changes, so the list is read again and again. */
export const budgetsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['budgets', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/budgets', { params: { accountId } }),
    refetchInterval: ({ state }) => (state.data?.isComplete === false ? SOON_MS : EVERY_MS),
  });

export const packagesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['packages', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/coin-packages', { params: { accountId } }),
    staleTime: EVERY_MS,
  });

/** Asked for again until the payment is reported; a delayed payment method takes days. */
export const checkoutQuery = (accountId: string, checkoutId: string) =>
  queryOptions({
    queryKey: ['checkout', accountId, checkoutId],
    queryFn: () =>
      request('GET /api/accounts/{accountId}/checkouts/{checkoutId}', { params: { accountId, checkoutId } }),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? SOON_MS : false),
  });
