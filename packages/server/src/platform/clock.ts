import { performance } from 'node:perf_hooks';
import { readDatabaseTime } from './clock.store.ts';
import type { Db } from './db.ts';

/** The time of the installation. */
export interface Clock {
  now(): Date;
}

/** The clock of this machine. Only for programs that have no database. */
export const systemClock: Clock = { now: () => new Date() };

/** The database's time. Every process uses it for quotes, links, deadlines and signatures, so that they agree. */
export interface DatabaseClock extends Clock {
  /** How far the clock of this machine is ahead of the database's; negative when it is behind. */
  skewMs(): number;
  measure(): Promise<void>;
  close(): void;
}

/** A skew above this is shown to the operator. */
export const MAX_CLOCK_SKEW_MS = 30_000;
/** A slower answer is too imprecise to use; the previous measurement is kept. */
const MAX_ROUND_TRIP_MS = 2_000;

/**
 * Measured at start and then at this interval. Between measurements it follows the monotonic clock of the process, so changing the
 * clock of the machine has no effect.
 */
export async function createDatabaseClock(
  services: { db: Db },
  options: { measureMs: number },
): Promise<DatabaseClock> {
  let offsetMs: number | null = null;
  const measure = async () => {
    const sentMs = performance.now();
    const time = await readDatabaseTime(services.db);
    const arrivedMs = performance.now();
    if (offsetMs !== null && arrivedMs - sentMs > MAX_ROUND_TRIP_MS) return;
    offsetMs = time.getTime() - (sentMs + arrivedMs) / 2;
  };
  await measure();
  const nowMs = () => performance.now() + (offsetMs as number);
  const timer = setInterval(() => void measure().catch(() => {}), options.measureMs);
  timer.unref();
  return {
    now: () => new Date(nowMs()),
    skewMs: () => Date.now() - nowMs(),
    measure,
    close: () => clearInterval(timer),
  };
}

/** The readiness warning about the clock of this machine; empty while the clock is accurate. */
export function describeSkew(clock: DatabaseClock): Record<string, string> {
  const skewMs = clock.skewMs();
  if (Math.abs(skewMs) <= MAX_CLOCK_SKEW_MS) return {};
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return {
    clock: `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database clock`,
  };
}
