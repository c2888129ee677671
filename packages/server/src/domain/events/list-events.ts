import type { EventPage } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';
import { findGenerationsById } from '../generations/find-generations-by-id.ts';
import type { Services } from '../services.ts';
import { findEvents } from './events.store.ts';

const DEFAULT_PAGE = 30;
const PREFIX = 'e1';
type Place = [accountId: string, xid: string, seq: number];

/** The account's events in an order that never gains one behind a reader. The bodies are those of the webhooks. */
export async function listEvents(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  accountId: string,
  query: { after?: string; limit?: number },
): Promise<EventPage> {
  const limit = query.limit ?? DEFAULT_PAGE;
  const after = query.after === undefined ? { xid: '0', seq: 0 } : openPlace(services, accountId, query.after);
  const found = await findEvents(services.db, { accountId, after, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const generations = await findGenerationsById(services, { accountId, ids: rows.map((row) => row.generationId) });
  const last = rows.at(-1);
  const place: Place | null = last === undefined ? null : [accountId, last.xid, last.seq];
  return {
    items: rows.flatMap((row) => {
      const generation = generations.get(row.generationId);
      return generation === undefined
        ? []
        : [{ id: row.id, type: row.type, createdAt: row.createdAt.toISOString(), data: { generation } }];
    }),
    nextAfter:
      place === null
        ? (query.after ?? null)
        : signToken({ keys: services.keys, purpose: 'cursor', prefix: PREFIX, payload: place }),
    hasMore: found.length > limit,
  };
}

function openPlace(services: Pick<Services, 'keys'>, accountId: string, token: string): { xid: string; seq: number } {
  const place = openToken({ keys: services.keys, purpose: 'cursor', prefix: PREFIX, token }) as Place | null;
  if (place === null || place[0] !== accountId) {
    throw new Problem('invalid_params', 'The place was not given by this list.', {
      issues: [{ path: 'after', message: 'must be the nextAfter of an earlier page' }],
    });
  }
  return { xid: place[1], seq: place[2] };
}
