export const MAX_IN_FLIGHT = 5;
/** How long a delivery may wait here; it occupies a slot of the worker meanwhile. */
const MAX_WAIT_MS = 500;
/** Deliveries to an endpoint slower than this wait only in the queue. */
const SLOW_MS = 500;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_LANES = 5_000;

export interface Place {
  leave(): void;
}

export type Entry = { readonly place: Place } | { readonly comeBackMs: number };

export interface DeliveryGate {
  /** A slot for the endpoint, immediately or after a short wait; or the delay before the next try. */
  enter(endpointId: string): Promise<Entry>;
}

interface Waiter {
  readonly admit: (entry: Entry) => void;
  readonly timer: NodeJS.Timeout;
}

interface Lane {
  /** When each request in flight started. */
  readonly begun: Set<{ readonly atMs: number }>;
  readonly waiters: Set<Waiter>;
  /** The duration of the last request. */
  latencyMs: number;
  /** When the next deferred delivery may return: they return one by one, at the rate at which the endpoint responds. */
  nextMs: number;
}

/**
 * At most five concurrent requests to one endpoint, so that a slow one cannot use up the worker's slots. Bursts to a fast
 * endpoint wait here briefly; everything else returns to the queue with a delay.
 */
export function createDeliveryGate(clock: () => number = () => performance.now()): DeliveryGate {
  const lanes = new Map<string, Lane>();

  /** The expected duration of a request: one that has taken long is expected to take twice as long. */
  const expectMs = (lane: Lane, nowMs: number) => Math.max(lane.latencyMs, 2 * oldestMs(lane, nowMs));

  function begin(endpointId: string, lane: Lane): Entry {
    const exchange = { atMs: clock() };
    lane.begun.add(exchange);
    const leave = () => {
      if (!lane.begun.delete(exchange)) return;
      lane.latencyMs = clock() - exchange.atMs;
      const [next] = lane.waiters;
      if (next !== undefined) {
        lane.waiters.delete(next);
        clearTimeout(next.timer);
        next.admit(begin(endpointId, lane));
      } else if (lane.begun.size === 0) {
        // A slow endpoint is remembered, so that its next burst does not wait here either.
        if (lane.latencyMs <= SLOW_MS || lanes.size > MAX_LANES) lanes.delete(endpointId);
      }
    };
    return { place: { leave } };
  }

  function sendAway(lane: Lane): Entry {
    const nowMs = clock();
    const expectedMs = expectMs(lane, nowMs);
    const freeMs = nowMs + Math.max(MIN_DELAY_MS, expectedMs - oldestMs(lane, nowMs));
    const atMs = Math.min(nowMs + MAX_DELAY_MS, Math.max(freeMs, lane.nextMs));
    lane.nextMs = atMs + expectedMs / MAX_IN_FLIGHT;
    return { comeBackMs: atMs - nowMs };
  }

  return {
    enter(endpointId) {
      let lane = lanes.get(endpointId);
      if (lane === undefined) {
        lane = { begun: new Set(), waiters: new Set(), latencyMs: 0, nextMs: 0 };
        lanes.set(endpointId, lane);
      }
      const open = lane;
      if (open.begun.size < MAX_IN_FLIGHT) return Promise.resolve(begin(endpointId, open));
      if (expectMs(open, clock()) > SLOW_MS) return Promise.resolve(sendAway(open));
      return new Promise((admit) => {
        const timer = setTimeout(() => {
          open.waiters.delete(waiter);
          admit(sendAway(open));
        }, MAX_WAIT_MS);
        const waiter: Waiter = { admit, timer };
        open.waiters.add(waiter);
      });
    },
  };
}

function oldestMs(lane: Lane, nowMs: number): number {
  const [oldest] = lane.begun;
  return oldest === undefined ? 0 : nowMs - oldest.atMs;
}
