/** The application's time. Money, leases and schedules use the database's clock; this one dates links and signatures. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
