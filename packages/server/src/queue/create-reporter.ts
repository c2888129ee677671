export interface JobEnd {
  readonly id: string;
  /** Names the hand-out: the queue ignores what is told of an older one. */
  readonly retryCount: number;
}

export interface Reporter {
  add(end: JobEnd): void;
  /** Waits for what is being sent, and tries nothing again. */
  close(): Promise<void>;
}

const MAX_BATCH = 100;
const ERROR_PAUSE_MS = 500;

/**
 * Tells the queue in batches how jobs ended, and goes on trying while the database is unavailable: a job that it does not hear
 * of waits for its lease to lapse.
 */
export function createReporter(options: {
  send: (batch: JobEnd[]) => Promise<unknown>;
  onError: (error: Error) => void;
}): Reporter {
  const ends: JobEnd[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;

  const flush = async () => {
    while (ends.length > 0) {
      const batch = ends.splice(0, MAX_BATCH);
      try {
        await options.send(batch);
      } catch (error) {
        options.onError(error as Error);
        if (closed) break;
        ends.push(...batch);
        await new Promise((resolve) => setTimeout(resolve, ERROR_PAUSE_MS));
      }
    }
    // In the same step as the last look at the list: what ends a moment later starts a flush of its own.
    flushing = undefined;
  };
  return {
    add(end) {
      ends.push(end);
      flushing ??= flush();
    },
    async close() {
      closed = true;
      await flushing;
    },
  };
}
