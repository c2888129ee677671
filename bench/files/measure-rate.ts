/** Runs a number of concurrent transfers until the time is up, then waits for the open ones. Returns bytes per second. */
export async function measureRate(options: {
  readonly seconds: number;
  readonly atOnce: number;
  readonly transfer: () => Promise<number>;
}): Promise<number> {
  const startedMs = performance.now();
  const deadlineMs = startedMs + options.seconds * 1000;
  let bytes = 0;
  const work = async () => {
    do bytes += await options.transfer();
    while (performance.now() < deadlineMs);
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  return bytes / ((performance.now() - startedMs) / 1000);
}

export const inMegabytes = (bytesPerSecond: number) => bytesPerSecond / 1_000_000;
