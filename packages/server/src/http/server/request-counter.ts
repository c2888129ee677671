import type { Telemetry } from '../../platform/telemetry.ts';

/** Counts responses. Labelled metrics are looked up once per operation and status, not once per request. */
export function createRequestCounter(
  telemetry: Telemetry,
): (operation: string, status: number, seconds: number) => void {
  const counters = new Map<string, { inc(): void }>();
  const timers = new Map<string, { observe(seconds: number): void }>();
  return (operation, status, seconds) => {
    const name = `${operation} ${status}`;
    let counter = counters.get(name);
    if (counter === undefined) {
      counter = telemetry.requests.labels(operation, String(status));
      counters.set(name, counter);
    }
    let timer = timers.get(operation);
    if (timer === undefined) {
      timer = telemetry.requestSeconds.labels(operation);
      timers.set(operation, timer);
    }
    counter.inc();
    timer.observe(seconds);
  };
}
