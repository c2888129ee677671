import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../api/problem.ts';

const MAX_RETRIES = 2;
const STALE_MS = 5_000;

/** Retries only what can succeed: no answer, or a server that is unavailable. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (count, error) =>
          count < MAX_RETRIES && error instanceof ApiProblem && (error.body === null || error.body.status >= 500),
      },
    },
  });
}
