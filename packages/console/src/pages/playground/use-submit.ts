import type { CreateGenerationBody, Generation, GenerationPage } from '@atelier/contract';
import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { request } from '../../api/request.ts';
import { balanceQuery } from '../../app/balance-query.ts';
import { generationQuery, generationsKey, generationsQuery } from '../generations/generation-queries.ts';
import { createSubmitKeys, isRefusal } from './submit-keys.ts';

const MAX_RETRIES = 2;
const statusOf = (error: unknown): number | null => (error instanceof ApiProblem ? (error.body?.status ?? null) : null);

type Pages = InfiniteData<GenerationPage, string | null>;

/** The list with a generation that it does not hold yet, at its beginning. */
export function withNew(pages: Pages, generation: Generation): Pages {
  const [first, ...rest] = pages.pages;
  if (first === undefined || pages.pages.some(({ items }) => items.some(({ id }) => id === generation.id)))
    return pages;
  return { ...pages, pages: [{ ...first, items: [generation, ...first.items] }, ...rest] };
}

/** Starts generations. Without an answer it tries again with the same key, so that nothing is paid for twice. */
export function useSubmit(accountId: string, askPrice: () => void) {
  const queries = useQueryClient();
  const [keys] = useState(() => createSubmitKeys());
  const mutation = useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: CreateGenerationBody; idempotencyKey: string }) =>
      request('POST /v1/generations', { params: { accountId }, body, idempotencyKey }),
    retry: (count, error) => {
      const status = statusOf(error);
      return count < MAX_RETRIES && error instanceof ApiProblem && (status === null || status >= 500);
    },
    onSuccess(generation) {
      keys.settle();
      askPrice();
      queries.setQueryData(generationQuery(accountId, generation.id).queryKey, generation);
      queries.setQueryData<Pages>(generationsQuery(accountId, { modelId: generation.modelId }).queryKey, (pages) =>
        pages === undefined ? pages : withNew(pages, generation),
      );
      void queries.invalidateQueries({ queryKey: generationsKey(accountId) });
      void queries.invalidateQueries({ queryKey: balanceQuery(accountId).queryKey });
    },
    onError(error) {
      if (isRefusal(statusOf(error))) keys.settle();
      if (error instanceof ApiProblem && error.code === 'max_coins_exceeded') askPrice();
    },
  });
  return {
    error: mutation.error,
    isPending: mutation.isPending,
    reset: mutation.reset,
    submit: (body: CreateGenerationBody) => mutation.mutate({ body, idempotencyKey: keys.keyFor(body) }),
  };
}
