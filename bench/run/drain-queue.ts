import { startPump } from '@atelier/server/queue/start-pump.ts';

type PumpOptions = Parameters<typeof startPump>[0];

const CONCURRENCY = 100;
const DRAIN_MS = 10_000;

/** Runs this many jobs of a queue with the worker's pump. */
export async function drainQueue(options: Pick<PumpOptions, 'boss' | 'queue' | 'start'>, jobs: number): Promise<void> {
  let done = 0;
  let pump: ReturnType<typeof startPump> | undefined;
  await new Promise<void>((resolve, reject) => {
    pump = startPump({
      ...options,
      concurrency: CONCURRENCY,
      start: (batch) =>
        options.start(batch).map((each) =>
          each.then(() => {
            done += 1;
            if (done === jobs) resolve();
          }),
        ),
      onError: reject,
    });
  });
  // The last reports belong to the cost.
  await pump?.drain(DRAIN_MS);
}
