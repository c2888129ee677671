import { MutationCache, QueryCache, QueryClient, replaceEqualDeep } from '@tanstack/react-query';
import { keepLinks } from '../api/keep-links.ts';
import { ApiProblem } from '../api/problem.ts';

const MAX_RETRIES = 2;
const STALE_MS = 5_000;

/** Retries only what can succeed: no answer, or a server that is unavailable. Reports that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiProblem && error.code === 'sign_in_required') onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        structuralSharing: (before, after) => replaceEqualDeep(before, keepLinks(before, after, Date.now())),
        retry: (count, error) =>
          count < MAX_RETRIES && error instanceof ApiProblem && (error.body === null || error.body.status >= 500),
      },
    },
  });
}
