import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

/** What the operator has set up. Without an answer the pages show what always works. */
export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => request('GET /api/sign-in'),
  staleTime: Number.POSITIVE_INFINITY,
});
