import { queryOptions } from '@tanstack/react-query';
import { request } from '../api/request.ts';

const EVERY_MS = 15_000;

/** The balance and the running limit of an account. It changes with every generation, so it is read again and again. */
export const balanceQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId],
    queryFn: () => request('GET /v1/account', { params: { accountId } }),
    refetchInterval: EVERY_MS,
  });
