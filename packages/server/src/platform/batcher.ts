export interface BatchOptions<T> {
  readonly maxBatch: number;
  /** Writes all items with one statement. An error applies to all of them. */
  readonly write: (items: readonly T[]) => Promise<void>;
}

/**
 * Writes an item immediately when idle. Items that arrive while a statement runs are written together by the next one, so
 * statements per item fall with load. If a batch fails, each of its items is retried alone, so that one bad item cannot
 * fail the others.
 */
export function writeInBatches<T>(options: BatchOptions<T>): (item: T) => Promise<void> {
  interface Waiting {
    readonly item: T;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let writing = false;

  const attempt = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await options.write(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const each of batch) await attempt([each]);
    }
  };
  const run = async () => {
    writing = true;
    while (waiting.length > 0) await attempt(waiting.splice(0, options.maxBatch));
    writing = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void run();
    });
}
