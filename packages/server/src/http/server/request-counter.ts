import type { Telemetry } from '../../platform/telemetry.ts';

/** Counts responses. Labelled metrics are looked up once per operation and status, not once per request. */
export function createRequestCounter(
  telemetry: Telemetry,
): (operation: string, status: number, seconds: number) => void {
  const operations = new Map<string, OperationMetrics>();
  return (operation, status, seconds) => {
    let metrics = operations.get(operation);
    if (metrics === undefined) {
      metrics = { timer: telemetry.requestSeconds.labels(operation), counters: new Map() };
      operations.set(operation, metrics);
    }
    let counter = metrics.counters.get(status);
    if (counter === undefined) {
      counter = telemetry.requests.labels(operation, String(status));
      metrics.counters.set(status, counter);
    }
    counter.inc();
    metrics.timer.observe(seconds);
  };
}

interface OperationMetrics {
  readonly timer: { observe(seconds: number): void };
  readonly counters: Map<number, { inc(): void }>;
}
