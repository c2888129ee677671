import { createKeyWatch } from '../../domain/accounts/watch-keys.ts';
import { createEventHub, type StreamMessage } from '../../domain/events/event-hub.ts';
import { findStreamStart } from '../../domain/events/find-stream-start.ts';
import { Problem } from '../../platform/problem.ts';
import { beginStream } from '../begin-stream.ts';
import type { OperationStreams } from '../operation-handler.ts';

export const MAX_STREAMS_PER_ACCOUNT = 5;
/** Of signed-in people, each with several tabs. They are counted separately: open pages never take a stream from a program. */
const MAX_SESSION_STREAMS_PER_ACCOUNT = 50;
/** Over all accounts of a signed-in person: a few people must not take all streams of a process. */
const MAX_STREAMS_PER_PERSON = 20;
export const MAX_STREAMS = 500;
const HEARTBEAT_MS = 15_000;
/** A client that reads nothing for this long is disconnected. */
const MAX_STALL_MS = 30_000;
/** Then the client reconnects with its last id, and its key is checked again. */
const MAX_LIFE_MS = 3_600_000;
/** A session and its membership are checked only when the stream opens, so a stream without a key ends soon. */
const MAX_SESSION_LIFE_MS = 60_000;
const RECONNECT_MS = 2_000;
const FULL_RETRY_SECONDS = 15;

interface Stream {
  readonly accountId: string;
  /** Of a signed-in person rather than of a key. */
  readonly isSession: boolean;
  readonly personId: string | null;
  end(): void;
}

/** Server-sent events: every end of a generation, and the progress of unfinished ones. */
export const createEventStreams: OperationStreams['streamEvents'] = (services) => {
  const hub = createEventHub(services);
  const keys = createKeyWatch(services);
  const streams = new Set<Stream>();

  function refuseWhenFull({ accountId, isSession, personId }: Omit<Stream, 'end'>): void {
    const refuseFrom = (limit: number, owner: string, isOwn: (stream: Stream) => boolean) => {
      if ([...streams].filter(isOwn).length < limit) return;
      throw new Problem('rate_limited', `Too many open event streams: the limit is ${limit} per ${owner}.`, {
        retryAfterSeconds: FULL_RETRY_SECONDS,
      });
    };
    const limit = isSession ? MAX_SESSION_STREAMS_PER_ACCOUNT : MAX_STREAMS_PER_ACCOUNT;
    refuseFrom(limit, 'account', (each) => each.accountId === accountId && each.isSession === isSession);
    if (personId !== null) refuseFrom(MAX_STREAMS_PER_PERSON, 'person', (each) => each.personId === personId);
    if (streams.size >= MAX_STREAMS) {
      throw new Problem('unavailable', 'Too many open event streams. Use GET /v1/events.', {
        retryAfterSeconds: FULL_RETRY_SECONDS,
      });
    }
  }

  return {
    async open({ caller, query, request, reply }) {
      const { accountId, keyId, personId = null } = caller;
      const isSession = keyId === null;
      refuseWhenFull({ accountId, isSession, personId });
      const lastId = request.headers['last-event-id'];
      const named = typeof lastId === 'string' && lastId !== '' ? lastId : query.after;
      const start = await findStreamStart(services, { accountId, token: named });
      // Again, because others may have opened a stream during the lookup.
      refuseWhenFull({ accountId, isSession, personId });
      const response = beginStream(request, reply);
      if (request.method === 'HEAD') response.end();
      // The client may have disconnected meanwhile; then `close` would never fire.
      if (request.method === 'HEAD' || response.destroyed) return;
      let stalledAtMs: number | null = null;
      const write = (text: string) => {
        if (!response.writableEnded && !response.write(text)) stalledAtMs ??= Date.now();
      };
      response.on('error', () => response.destroy());
      response.on('drain', () => {
        stalledAtMs = null;
      });
      write(`retry: ${RECONNECT_MS}\nid: ${start.token}\n\n`);
      const leave = hub.join({
        accountId,
        after: start.after,
        isReady: () => stalledAtMs === null,
        take: (messages) => write(messages.map(format).join('')),
      });
      const heartbeat = setInterval(() => {
        if (stalledAtMs !== null && Date.now() - stalledAtMs > MAX_STALL_MS) response.destroy();
        else write(': still here\n\n');
      }, HEARTBEAT_MS);
      const life = setTimeout(() => stream.end(), isSession ? MAX_SESSION_LIFE_MS : MAX_LIFE_MS);
      const stream: Stream = { accountId, isSession, personId, end: () => response.end() };
      streams.add(stream);
      const stopWatching = keyId === null ? undefined : keys.watch({ keyId, accountId, onEnded: () => stream.end() });
      response.once('close', () => {
        streams.delete(stream);
        clearInterval(heartbeat);
        clearTimeout(life);
        leave();
        stopWatching?.();
      });
    },
    close() {
      hub.close();
      keys.close();
      for (const stream of streams) stream.end();
    },
  };
};

function format(message: StreamMessage): string {
  if (message.kind === 'progress') return `event: generation.progress\ndata: ${JSON.stringify(message.progress)}\n\n`;
  return `id: ${message.place}\nevent: ${message.event.type}\ndata: ${JSON.stringify(message.event)}\n\n`;
}
