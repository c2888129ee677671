export interface JobEnd {
  readonly id: string;
  /** Identifies the delivery of the job: the queue ignores reports about an older one. */
  readonly retryCount: number;
}

export interface Reporter {
  add(end: JobEnd): void;
  /** Waits for the batch being sent; retries nothing. */
  close(): Promise<void>;
}

const MAX_BATCH = 100;
const ERROR_PAUSE_MS = 500;

/**
 * Reports finished jobs to the queue in batches, and retries while the database is unavailable: a job that is not reported
 * is blocked until its lease expires.
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
    // Synchronous with the last check of the list, so that a job that ends later starts a new flush.
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
