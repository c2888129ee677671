import { streamEvents } from './event-stream.ts';
import type { Generation, GenerationProgress } from './schemas.ts';
import type { Transport } from './transport.ts';

/** How many ends are remembered for a wait that begins a moment later. */
const MAX_REMEMBERED = 256;

interface Watcher {
  readonly id: string;
  onProgress(progress: GenerationProgress): void;
  onEnd(generation: Generation): void;
  /** The stream has opened: what happened before it must be read once. */
  onOpen(): void;
}

export interface GenerationWatch {
  /** Returns a function that leaves. */
  join(watcher: Watcher): () => void;
  /** Whether ends arrive by themselves. */
  isOpen(): boolean;
}

/** One event stream for all waits of a client, since an account can have only five. It is open while somebody waits. */
export function createGenerationWatch(transport: Transport): GenerationWatch {
  const watchers = new Set<Watcher>();
  /** An end can arrive before the response to the submit. */
  const remembered = new Map<string, Generation>();
  let controller: AbortController | null = null;
  let isOpen = false;

  async function follow(signal: AbortSignal): Promise<void> {
    const onOpen = () => {
      isOpen = true;
      for (const watcher of watchers) watcher.onOpen();
    };
    for await (const message of streamEvents(transport, { signal, onOpen })) {
      const ended = 'event' in message ? message.event.data.generation : null;
      if (ended !== null) remember(ended);
      for (const watcher of watchers) {
        if (ended?.id === watcher.id) watcher.onEnd(ended);
        else if ('progress' in message && message.progress.id === watcher.id) watcher.onProgress(message.progress);
      }
    }
  }

  function remember(ended: Generation): void {
    remembered.set(ended.id, ended);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest as string);
  }

  return {
    isOpen: () => isOpen,
    join(watcher) {
      watchers.add(watcher);
      const ended = remembered.get(watcher.id);
      if (ended !== undefined) watcher.onEnd(ended);
      if (controller === null) {
        const own = new AbortController();
        controller = own;
        // Without a stream, for example with a key that must not read events, the waits poll.
        void follow(own.signal)
          .catch(() => {})
          .finally(() => {
            if (controller === own || controller === null) isOpen = false;
          });
      }
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        controller?.abort();
        controller = null;
        isOpen = false;
        remembered.clear();
      };
    },
  };
}
