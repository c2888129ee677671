import type { WebhookEvent } from '@atelier/contract';
import { queryOptions } from '@tanstack/react-query';
import { request } from '../../api/request.ts';

const PAGE_SIZE = 100;
/** The list reads forward in time, so an old account needs several pages to reach the present. */
const MAX_PAGES = 20;
/** How many events the page keeps. */
export const KEPT = 200;

/** The newest events, newest first. */
async function readNewest(accountId: string): Promise<WebhookEvent[]> {
  let newest: WebhookEvent[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const got: { items: WebhookEvent[]; nextAfter: string | null; hasMore: boolean } = await request('GET /v1/events', {
      params: { accountId },
      query: { limit: PAGE_SIZE, ...(after === null ? {} : { after }) },
    });
    newest = [...newest, ...got.items].slice(-KEPT);
    after = got.nextAfter;
    if (!got.hasMore || after === null) break;
  }
  return newest.toReversed();
}

export const eventsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['events', accountId],
    queryFn: () => readNewest(accountId),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A list with a new event at its top. An event that is already there is not added again. */
export const addEvent = (events: readonly WebhookEvent[], event: WebhookEvent): WebhookEvent[] =>
  events.some(({ id }) => id === event.id) ? [...events] : [event, ...events].slice(0, KEPT);
