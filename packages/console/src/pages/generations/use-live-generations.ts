import type { Generation, GenerationPage } from '@atelier/contract';
import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useEventStream } from '../../api/event-stream.ts';
import { balanceQuery } from '../../app/balance-query.ts';
import { changeInPages, generationQuery, generationsKey, withProgress } from './generation-queries.ts';

/** Reports of new generations within this time cause one request. */
const GATHER_MS = 500;

type Pages = InfiniteData<GenerationPage, string | null>;

/** Keeps the lists and pages of generations up to date from the stream of events. */
export function useLiveGenerations(accountId: string): { isOpen: boolean } {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refreshSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      void queries.invalidateQueries({ queryKey: generationsKey(accountId) });
      void queries.invalidateQueries({ queryKey: balanceQuery(accountId).queryKey });
    }, GATHER_MS);
  };
  /** Returns whether a list already shows the generation. */
  const change = (id: string, next: (item: Generation) => Generation): boolean => {
    let isKnown = false;
    queries.setQueriesData<Pages>({ queryKey: generationsKey(accountId) }, (pages) => {
      if (pages === undefined) return pages;
      const changed = changeInPages(pages, id, next);
      isKnown ||= changed !== pages;
      return changed;
    });
    queries.setQueryData(generationQuery(accountId, id).queryKey, (item) => (item === undefined ? item : next(item)));
    return isKnown;
  };
  return useEventStream(accountId, {
    onOpen: refreshSoon,
    onProgress(progress) {
      if (!change(progress.id, (item) => withProgress(item, progress))) refreshSoon();
    },
    onEvent({ data }) {
      change(data.generation.id, () => data.generation);
      // Filters by status and the balance change too.
      refreshSoon();
    },
  });
}
