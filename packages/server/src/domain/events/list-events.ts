import type { EventPage } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import { findGenerationsById } from '../generations/read/find-generations.ts';
import type { Services } from '../services.ts';
import { findEvents } from './events.store.ts';
import { FEED_START, openPlace, signPlace } from './feed-place.ts';
import { renderEvents } from './render-events.ts';

const DEFAULT_PAGE = 30;

/** The account's events. None is ever inserted before a reader's position. The bodies are those of the webhooks. */
export async function listEvents(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  accountId: string,
  query: { after?: string; limit?: number },
): Promise<EventPage> {
  const { keys } = services;
  const limit = query.limit ?? DEFAULT_PAGE;
  const after = query.after === undefined ? FEED_START : openPlace({ keys, accountId, token: query.after });
  if (after === null) {
    throw new Problem('invalid_params', 'Invalid cursor.', {
      issues: [{ path: 'after', message: 'must be the nextAfter of an earlier page' }],
    });
  }
  const found = await findEvents(services.db, { accountId, after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const generations = await findGenerationsById(services, { accountId, ids: rows.map((row) => row.generationId) });
  const place = rows.at(-1);
  return {
    items: renderEvents(rows, generations),
    nextAfter: place === undefined ? (query.after ?? null) : signPlace({ keys, accountId, place }),
    hasMore: found.length > limit,
  };
}
