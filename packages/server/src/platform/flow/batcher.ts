export interface BatcherOptions<T, R> {
  readonly maxBatch: number;
  /** Handles all items at once and resolves to one result per item, in order. An error applies to all of them. */
  readonly run: (items: readonly T[]) => Promise<readonly R[]>;
  /**
   * `when-idle`: an item starts a batch when none runs; items that arrive while one runs form the next, so batches grow
   * with load. `each-turn`: the items of one turn of the event loop form a batch, and batches run concurrently.
   */
  readonly start?: 'when-idle' | 'each-turn';
  /** Items with the same key never share a batch: the later one waits for the next. */
  readonly keyOf?: (item: T) => string;
  /** With `when-idle`: if a batch takes longer than this, the next one starts beside it. */
  readonly overlapAfterMs?: number;
  /**
   * Handles one item of a batch of several that failed. The items are handled concurrently, and the next batch does not wait
   * for them. Without it, `run` is called for one item after another.
   */
  readonly refused?: (item: T, error: unknown) => Promise<R>;
}

/** Handles items in batches. If a batch fails, each of its items is handled alone, so that one bad item fails alone. */
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
      const { refused } = options;
      if (batch.length === 1) batch[0]?.reject(error);
      else if (refused === undefined) for (const each of batch) await attempt([each]);
      else for (const { item, resolve, reject } of batch) refused(item, error).then(resolve, reject);
    }
  };
  const takeBatch = (): Waiting[] => waiting.splice(0, countBatch());
  const countBatch = (): number => {
    const { keyOf, maxBatch } = options;
    if (keyOf === undefined) return maxBatch;
    const keys = new Set<string>();
    for (const { item } of waiting.slice(0, maxBatch)) {
      const key = keyOf(item);
      if (keys.has(key)) break;
      keys.add(key);
    }
    return keys.size;
  };
  const runAll = async () => {
    running = true;
    while (waiting.length > 0) await waitUpTo(attempt(takeBatch()), options.overlapAfterMs);
    running = false;
  };
  const runTurn = () => {
    while (waiting.length > 0) void attempt(takeBatch());
  };
  return (item) =>
    new Promise((resolve, reject) => {
      const count = waiting.push({ item, resolve, reject });
      if (options.start === 'each-turn') {
        if (count === 1) setImmediate(runTurn);
      } else if (!running) void runAll();
    });
}

/** Waits for work that never rejects, for at most this long. */
function waitUpTo(work: Promise<void>, ms: number | undefined): Promise<void> {
  if (ms === undefined) return work;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
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
