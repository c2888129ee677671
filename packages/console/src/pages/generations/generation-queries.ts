import type { Generation, GenerationPage, GenerationProgress, ListGenerationsQuery } from '@atelier/contract';
import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

/** The stream reports changes at once; this is for what it cannot report while it is closed. */
const EVERY_MS = 10_000;
const ASSET_STALE_MS = 600_000;

export type GenerationFilters = Pick<ListGenerationsQuery, 'status' | 'modality' | 'workspace' | 'modelId' | 'active'>;

/** The beginning of the keys of all lists of an account. */
export const generationsKey = (accountId: string) => ['generations', accountId];

export const generationsQuery = (accountId: string, filters: GenerationFilters) =>
  infiniteQueryOptions({
    queryKey: [...generationsKey(accountId), filters],
    queryFn: ({ pageParam }: { pageParam: string | null }) =>
      request('GET /v1/generations', {
        params: { accountId },
        query: { ...filters, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: EVERY_MS,
  });

export const generationQuery = (accountId: string, id: string) =>
  queryOptions({
    queryKey: ['generation', accountId, id],
    queryFn: () => request('GET /v1/generations/{id}', { params: { accountId, id } }),
    refetchInterval: ({ state }) => (state.data !== undefined && !isEnded(state.data) ? EVERY_MS : false),
  });

export const assetQuery = (accountId: string, id: string) =>
  queryOptions({
    queryKey: ['asset', accountId, id],
    queryFn: () => request('GET /v1/assets/{id}', { params: { accountId, id } }),
    staleTime: ASSET_STALE_MS,
  });

export const modelsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['models', accountId],
    queryFn: () => request('GET /v1/models', { params: { accountId } }),
    staleTime: ASSET_STALE_MS,
  });

export const isEnded = ({ status }: Pick<Generation, 'status'>): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled';

type Pages = InfiniteData<GenerationPage, string | null>;

/** The lists with one generation changed. The same object if they do not hold it. */
export function changeInPages(pages: Pages, id: string, change: (item: Generation) => Generation): Pages {
  if (!pages.pages.some(({ items }) => items.some((item) => item.id === id))) return pages;
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      items: page.items.map((item) => (item.id === id ? change(item) : item)),
    })),
  };
}

/** A generation with its reported progress. What has ended stays as it is: a late report must not reopen it. */
export const withProgress = (generation: Generation, progress: GenerationProgress): Generation =>
  isEnded(generation)
    ? generation
    : {
        ...generation,
        status: progress.status,
        progress: progress.progress,
        queuePosition: progress.queuePosition,
      };
