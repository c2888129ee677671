export interface BatchOptions<T> {
  readonly maxBatch: number;
  /** One statement for all of them; what it throws applies to all of them. */
  readonly write: (items: readonly T[]) => Promise<void>;
}

/**
 * Alone, an item is written at once. Those that come while a statement is under way go together in the next one, so the
 * busier it is the fewer statements each costs. Should a batch be refused, each of its items is tried alone, so that one
 * cannot fail the others.
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
