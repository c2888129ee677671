export interface Poller<T> {
  /** The last value that was read. */
  current(): T;
  refresh(): Promise<void>;
  close(): void;
}

/** Reads a small table now and then again at an interval. While reading fails, the last value is kept. */
export async function createPoller<T>(options: { intervalMs: number; read: () => Promise<T> }): Promise<Poller<T>> {
  let value = await options.read();
  const refresh = async () => {
    value = await options.read();
  };
  const timer = setInterval(() => void refresh().catch(() => {}), options.intervalMs).unref();
  return { current: () => value, refresh, close: () => clearInterval(timer) };
}
