import type { ConsoleKey } from '@atelier/contract/console';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

const EVERY_MS = 15_000;

/** The keys of an account. What they spent and when they were used changes, so the list is read again and again. */
export const keysQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keys', accountId],
    queryFn: () => request('GET /api/accounts/{accountId}/keys', { params: { accountId } }),
    refetchInterval: EVERY_MS,
  });

/** The beginning and the end of a key, as far as they are known. */
export const displayKey = ({ prefix, last4 }: Pick<ConsoleKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;
