import type { WebhookEvent } from '@atelier/contract';
import { type InfiniteData, infiniteQueryOptions } from '@tanstack/react-query';
import { type ResponseOf, request } from '../../api/request.ts';

const PAGE_SIZE = 100;
/** The stream opens again every minute, and the shown pages are then read again: so many of them. */
const MAX_PAGES = 10;

type EventPages = InfiniteData<ResponseOf<'GET /api/accounts/{accountId}/events'>>;

/** The events of an account, newest first. */
export const eventsQuery = (accountId: string) =>
  infiniteQueryOptions({
    queryKey: ['events', accountId],
    queryFn: ({ pageParam }) =>
      request('GET /api/accounts/{accountId}/events', {
        params: { accountId },
        query: { limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }, pages) => (pages.length < MAX_PAGES ? nextCursor : null),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The list with a new event at its top. An event that is already there is not added again. */
export function addEvent(shown: EventPages, event: WebhookEvent): EventPages {
  const [first, ...rest] = shown.pages;
  if (first === undefined || shown.pages.some(({ items }) => items.some(({ id }) => id === event.id))) return shown;
  return { ...shown, pages: [{ ...first, items: [event, ...first.items] }, ...rest] };
}
