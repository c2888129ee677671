import type { WebhookEvent } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import { findGenerationsById } from '../generations/read/find-generations.ts';
import type { Services } from '../services.ts';
import { findEventsBefore, findFeedEnd } from './events.store.ts';
import { openPlace, signPlace } from './feed-place.ts';
import { renderEvents } from './render-events.ts';

const DEFAULT_PAGE = 30;

/**
 * The account's events, newest first. The first page begins at the end of the feed: an event that the feed does not show yet
 * arrives on a stream that was opened before the page was read.
 */
export async function listRecentEvents(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  accountId: string,
  query: { cursor?: string; limit?: number },
): Promise<{ items: WebhookEvent[]; nextCursor: string | null }> {
  const { keys } = services;
  const limit = query.limit ?? DEFAULT_PAGE;
  const before =
    query.cursor === undefined ? await findFeedEnd(services.db) : openPlace({ keys, accountId, token: query.cursor });
  if (before === null) {
    throw new Problem('invalid_params', 'Invalid cursor.', {
      issues: [{ path: 'cursor', message: 'must be the nextCursor of an earlier page' }],
    });
  }
  const found = await findEventsBefore(services.db, { accountId, before, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const generations = await findGenerationsById(services, { accountId, ids: rows.map((row) => row.generationId) });
  const place = rows.at(-1);
  return {
    items: renderEvents(rows, generations),
    nextCursor: found.length > limit && place !== undefined ? signPlace({ keys, accountId, place }) : null,
  };
}
