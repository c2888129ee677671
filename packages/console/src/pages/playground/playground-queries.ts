import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

const STALE_MS = 600_000;

export const effectsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['effects', accountId],
    queryFn: () => request('GET /v1/effects', { params: { accountId } }),
    staleTime: STALE_MS,
  });
