import type { GenerationProgress, WebhookEvent } from '@atelier/contract';
import { errorFields } from '../../platform/log.ts';
import { findGenerationsOfAccounts } from '../generations/read/find-generations.ts';
import type { Services } from '../services.ts';
import { type FeedPlace, findEventsOfReaders, findLiveGenerations, type LiveRow } from './events.store.ts';
import { signPlace } from './feed-place.ts';
import { renderEvents } from './render-events.ts';

const POLL_INTERVAL_MS = 500;
const MAX_EVENTS_PER_LOOK = 50;
const MAX_LIVE_PER_ACCOUNT = 100;

export type StreamMessage =
  /** `place` is the position from which a reader of this message continues. */
  | { readonly kind: 'event'; readonly place: string; readonly event: WebhookEvent }
  | { readonly kind: 'progress'; readonly progress: GenerationProgress };

export interface HubReader {
  readonly accountId: string;
  readonly after: FeedPlace;
  /** While false, nothing is read for this reader; it continues later from its position. */
  readonly isReady: () => boolean;
  readonly take: (messages: readonly StreamMessage[]) => void;
}

export interface EventHub {
  /** Returns a function that removes the reader. */
  join(reader: HubReader): () => void;
  close(): void;
}

interface Seat {
  readonly reader: HubReader;
  place: FeedPlace;
  /** The last sent state of each live generation. */
  readonly sent: Map<string, string>;
}

type HubServices = Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl' | 'log'>;

/**
 * Reads the feed for all streams of this process together: two statements per poll, for any number of streams. Each stream
 * has its own position, so a slow or new one does not delay the others.
 */
export function createEventHub(services: HubServices): EventHub {
  const seats = new Set<Seat>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const lookLater = (delayMs: number) => {
    clearTimeout(timer);
    if (seats.size > 0) timer = setTimeout(() => void look(), delayMs);
  };

  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    let hasMore = false;
    try {
      const ready = [...seats].filter(({ reader }) => reader.isReady());
      if (ready.length > 0) {
        hasMore = await passEvents(services, ready, seats);
        await passProgress(services, ready, seats);
      }
    } catch (error) {
      // The database is unavailable: streams stay open and continue from their positions.
      services.log.warn('reading events for streams failed', errorFields(error));
    } finally {
      isLooking = false;
      lookLater(hasMore ? 0 : POLL_INTERVAL_MS);
    }
  };

  return {
    join(reader) {
      const seat: Seat = { reader, place: reader.after, sent: new Map() };
      seats.add(seat);
      lookLater(0);
      return () => {
        seats.delete(seat);
        if (seats.size === 0) clearTimeout(timer);
      };
    },
    close() {
      seats.clear();
      clearTimeout(timer);
    },
  };
}

/** Returns whether a reader has more events to read now. */
async function passEvents(services: HubServices, seats: readonly Seat[], open: ReadonlySet<Seat>): Promise<boolean> {
  const rows = await findEventsOfReaders(services.db, {
    readers: seats.map(({ reader, place }) => ({ accountId: reader.accountId, after: place })),
    limitEach: MAX_EVENTS_PER_LOOK,
  });
  if (rows.length === 0) return false;
  const accountOf = (row: { reader: number }) => (seats[row.reader] as Seat).reader.accountId;
  const generations = await findGenerationsOfAccounts(
    services,
    rows.map((row) => ({ accountId: accountOf(row), id: row.generationId })),
  );
  let hasMore = false;
  for (const [n, seat] of seats.entries()) {
    const own = rows.filter((row) => row.reader === n);
    const last = own.at(-1);
    if (last === undefined || !open.has(seat)) continue;
    const messages = own.flatMap((row) =>
      renderEvents([row], generations).map((event): StreamMessage => {
        const place = signPlace({ keys: services.keys, accountId: seat.reader.accountId, place: row });
        return { kind: 'event', place, event };
      }),
    );
    seat.place = last;
    for (const row of own) seat.sent.delete(row.generationId);
    if (messages.length > 0) seat.reader.take(messages);
    hasMore ||= own.length === MAX_EVENTS_PER_LOOK;
  }
  return hasMore;
}

/** Reads after the events were sent, so the live generations it finds have not ended in any of them. */
async function passProgress(services: HubServices, seats: readonly Seat[], open: ReadonlySet<Seat>): Promise<void> {
  const accountIds = [...new Set(seats.map(({ reader }) => reader.accountId))];
  const rows = await findLiveGenerations(services.db, { accountIds, limitEach: MAX_LIVE_PER_ACCOUNT });
  const byAccount = Map.groupBy(rows, (row) => row.accountId);
  for (const seat of seats) {
    if (!open.has(seat)) continue;
    const live = byAccount.get(seat.reader.accountId) ?? [];
    const messages = live.filter((row) => isNews(seat, row)).map(toMessage);
    const ids = new Set(live.map((row) => row.id));
    for (const id of seat.sent.keys()) if (!ids.has(id)) seat.sent.delete(id);
    if (messages.length > 0) seat.reader.take(messages);
  }
}

function isNews(seat: Seat, row: LiveRow): boolean {
  const now = `${row.status} ${row.progress} ${row.queuePosition}`;
  if (seat.sent.get(row.id) === now) return false;
  seat.sent.set(row.id, now);
  return true;
}

function toMessage({ id, status, progress, queuePosition }: LiveRow): StreamMessage {
  return { kind: 'progress', progress: { id, status, progress, queuePosition } };
}
