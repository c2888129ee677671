import { GenerationCanceledError, GenerationFailedError, GenerationTimeoutError } from './errors.ts';
import { isTemporary } from './retry.ts';
import type { Generation, GenerationProgress } from './schemas.ts';
import type { GenerationWatch } from './watch-generations.ts';

const DEFAULT_TIMEOUT_MS = 600_000;
/** The API asks for no more than one poll in two seconds. */
const POLL_MS = 2_000;
const POLL_JITTER_MS = 1_000;
/** Only in case that the stream stays silent. */
const POLL_WITH_STREAM_MS = 15_000;

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the end: 10 minutes by default. */
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: GenerationProgress) => void) | undefined;
}

/** Waits for the event of the end, and polls at a slow pace or where there is no event stream. */
export async function waitForGeneration(
  { watch, read }: { watch: GenerationWatch; read: (id: string) => Promise<Generation> },
  first: Generation,
  options: WaitOptions = {},
): Promise<Generation> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS, onProgress } = options;
  const deadlineMs = Date.now() + timeoutMs;
  let generation = first;
  let wake = () => {};
  let isReadDue = false;
  signal?.throwIfAborted();
  const abort = () => wake();
  signal?.addEventListener('abort', abort);
  const leave = watch.join({
    id: first.id,
    onProgress: (progress) => onProgress?.(progress),
    onEnd(ended) {
      generation = ended;
      wake();
    },
    onOpen() {
      isReadDue = true;
      wake();
    },
  });
  try {
    report(generation, onProgress);
    while (!isOver(generation)) {
      const leftMs = deadlineMs - Date.now();
      if (leftMs <= 0) throw new GenerationTimeoutError(generation, timeoutMs);
      const pauseMs = watch.isOpen() ? POLL_WITH_STREAM_MS : POLL_MS + Math.random() * POLL_JITTER_MS;
      if (!isReadDue) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(pauseMs, leftMs));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = () => {};
      }
      signal?.throwIfAborted();
      if (isOver(generation)) break;
      isReadDue = false;
      const seen = await read(first.id).catch((error: unknown) => {
        // An outage does not end the wait; the deadline does.
        if (!isTemporary(error)) throw error;
        return generation;
      });
      // Meanwhile the event of the end may have arrived.
      if (!isOver(generation)) {
        generation = seen;
        report(generation, onProgress);
      }
    }
  } finally {
    leave();
    signal?.removeEventListener('abort', abort);
  }
  if (generation.status === 'failed') throw new GenerationFailedError(generation);
  if (generation.status === 'canceled') throw new GenerationCanceledError(generation);
  return generation;
}

const isOver = ({ status }: Generation) => status === 'succeeded' || status === 'failed' || status === 'canceled';

function report({ id, status, progress, queuePosition }: Generation, tell: WaitOptions['onProgress']): void {
  tell?.({ id, status, progress, queuePosition });
}
