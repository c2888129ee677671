import { get, type IncomingMessage } from 'node:http';

export interface StreamEvent {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects
  readonly data: any;
}

export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: StreamEvent[];
  readonly comments: string[];
  /** The last event id, as a browser tracks it: from any block, with or without data. */
  lastId(): string | null;
  /** Pauses or resumes reading, like a slow client. */
  pause(): void;
  resume(): void;
  ended(): Promise<void>;
  close(): void;
}

/** A client of server-sent events that implements the parts of the standard used here. */
export function openStream(
  url: string,
  options: { key?: string; lastEventId?: string; after?: string } = {},
): Promise<OpenStream> {
  const events: StreamEvent[] = [];
  const comments: string[] = [];
  let lastId: string | null = null;
  let rest = '';
  const target = `${url}/v1/events/stream${options.after === undefined ? '' : `?after=${options.after}`}`;
  return new Promise((resolve, reject) => {
    const request = get(target, {
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
      },
      agent: false,
    });
    request.once('error', reject);
    request.once('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() as string;
        for (const block of blocks) take(block);
      });
      const ended = new Promise<void>((done) => response.once('close', done));
      response.on('error', () => {});
      request.on('error', () => {});
      resolve({
        status: response.statusCode as number,
        headers: response.headers,
        events,
        comments,
        lastId: () => lastId,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        ended: () => ended,
        close: () => void request.destroy(),
      });
    });
  });

  function take(block: string): void {
    let [id, event, data]: [string | null, string, string[]] = [null, 'message', []];
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim());
      else if (line.startsWith('id: ')) id = line.slice(4);
      else if (line.startsWith('event: ')) event = line.slice(7);
      else if (line.startsWith('data: ')) data.push(line.slice(6));
    }
    lastId = id ?? lastId;
    if (data.length > 0) events.push({ id, event, data: JSON.parse(data.join('\n')) });
  }
}
