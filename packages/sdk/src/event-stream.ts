import { ConnectionError } from './errors.ts';
import { sleep } from './retry.ts';
import type { EventType, GenerationProgress, WebhookEvent } from './schemas.ts';
import type { Transport } from './transport.ts';

/** The service sends a comment every 15 seconds, so a longer silence means a dead connection. */
const MAX_SILENCE_MS = 45_000;
const RECONNECT_MS = 1_000;

export type StreamMessage =
  | { readonly type: 'generation.progress'; readonly progress: GenerationProgress }
  | {
      readonly type: EventType;
      readonly event: WebhookEvent;
      /** Where to continue: pass it as `after` to the stream or the list. */
      readonly after: string;
    };

export interface StreamOptions {
  /** A position of the list or of an earlier stream. Without it, the stream starts with new events. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after every connect: events from here on arrive. */
  readonly onOpen?: ((after: string | undefined) => void) | undefined;
}

/** Yields messages until the signal aborts. Reconnects after the last event, so that none is lost or repeated. */
export async function* streamEvents(transport: Transport, options: StreamOptions = {}): AsyncGenerator<StreamMessage> {
  const { signal } = options;
  let after = options.after;
  for (let failures = 0; ; failures += 1) {
    try {
      const response = await transport.open({
        method: 'GET',
        path: '/v1/events/stream',
        headers: { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) },
        options: { signal },
      });
      let isOpen = false;
      for await (const block of readBlocks(response, signal)) {
        after = block.id ?? after;
        failures = 0;
        if (!isOpen) options.onOpen?.(after);
        isOpen = true;
        if (block.data === '') continue;
        const data = JSON.parse(block.data);
        if (block.event === 'generation.progress') yield { type: block.event, progress: data };
        else yield { type: block.event as EventType, event: data, after: after as string };
      }
      await sleep(RECONNECT_MS, signal);
    } catch (error) {
      await transport.pause(error, failures, signal);
    }
  }
}

interface Block {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** The blocks of server-sent events. Comments only show that the connection is alive. */
async function* readBlocks(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Block> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let silence: ReturnType<typeof setTimeout> | undefined;
  let isSilent = false;
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  let rest = '';
  try {
    for (;;) {
      silence = setTimeout(() => {
        isSilent = true;
        stop();
      }, MAX_SILENCE_MS);
      const { done, value } = await reader.read();
      clearTimeout(silence);
      signal?.throwIfAborted();
      if (isSilent) throw new ConnectionError(`The event stream was silent for ${MAX_SILENCE_MS / 1000} s`);
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true }).replaceAll('\r\n', '\n')).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) yield parseBlock(block);
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ConnectionError ? error : new ConnectionError('The event stream broke', { cause: error });
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

function parseBlock(text: string): Block {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return { id, event, data: data.join('\n') };
}
