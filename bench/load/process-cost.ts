import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';

/** What a server process spent between two questions of the bench. */
export interface ProcessCost {
  /** Delay of a timer beyond its interval: how long a request may wait for the process. */
  readonly loopP50Ms: number;
  readonly loopP99Ms: number;
  /** Share of the time in which the event loop was busy, from 0 to 1. */
  readonly busyShare: number;
  /** Share of the time spent in garbage collection, from 0 to 1. */
  readonly collectionShare: number;
  readonly longestCollectionMs: number;
}

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

/** Tells the bench the address of this server, and answers each later message with the cost since the one before. */
export function reportToBench(address: string): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let collectionMs = 0;
  let longestCollectionMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) {
      collectionMs += duration;
      longestCollectionMs = Math.max(longestCollectionMs, duration);
    }
  }).observe({ entryTypes: ['gc'] });
  let sinceMs = performance.now();
  let usage = performance.eventLoopUtilization();
  process.on('message', () => {
    const nowMs = performance.now();
    const delayMs = (percentile: number) =>
      Math.max(0, delays.percentile(percentile) / NANOSECONDS_PER_MS - RESOLUTION_MS);
    const cost: ProcessCost = {
      loopP50Ms: delayMs(50),
      loopP99Ms: delayMs(99),
      busyShare: performance.eventLoopUtilization(usage).utilization,
      collectionShare: collectionMs / (nowMs - sinceMs),
      longestCollectionMs,
    };
    process.send?.(cost);
    delays.reset();
    [collectionMs, longestCollectionMs, sinceMs] = [0, 0, nowMs];
    usage = performance.eventLoopUtilization();
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.(address);
}
