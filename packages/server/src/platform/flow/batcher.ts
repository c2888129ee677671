export interface BatcherOptions<T, R> {
  readonly maxBatch: number;
  /** Handles all items at once and resolves to one result per item, in order. An error applies to all of them. */
  readonly run: (items: readonly T[]) => Promise<readonly R[]>;
  /**
   * `when-idle`: an item starts a batch when none runs; items that arrive while one runs form the next, so batches grow
   * with load. `each-turn`: the items of one turn of the event loop form a batch, and batches run concurrently.
   */
  readonly start?: 'when-idle' | 'each-turn';
}

/** Handles items in batches. If a batch fails, each of its items is retried alone, so that one bad item fails alone. */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  interface Waiting {
    readonly item: T;
    readonly resolve: (result: R) => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let running = false;

  const attempt = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const results = await options.run(batch.map(({ item }) => item));
      for (const [n, { resolve }] of batch.entries()) resolve(results[n] as R);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const each of batch) await attempt([each]);
    }
  };
  const runAll = async () => {
    running = true;
    while (waiting.length > 0) await attempt(waiting.splice(0, options.maxBatch));
    running = false;
  };
  const runTurn = () => {
    while (waiting.length > 0) void attempt(waiting.splice(0, options.maxBatch));
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ item, resolve, reject });
      if (options.start === 'each-turn') {
        if (count === 1) setImmediate(runTurn);
      } else if (!running) void runAll();
    });
}

/** A batcher for statements that return nothing. */
export function writeInBatches<T>(options: {
  readonly maxBatch: number;
  readonly write: (items: readonly T[]) => Promise<void>;
}): (item: T) => Promise<void> {
  return createBatcher<T, void>({
    maxBatch: options.maxBatch,
    async run(items) {
      await options.write(items);
      return [];
    },
  });
}
