export const MAX_IN_FLIGHT = 5;
/** How long a delivery may wait here for its turn, in a slot of the worker that others could use. */
const MAX_WAIT_MS = 500;
/** An endpoint that takes longer than this is waited for in the queue alone. */
const SLOW_MS = 500;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const MAX_LANES = 5_000;

export interface Place {
  leave(): void;
}

export type Entry = { readonly place: Place } | { readonly comeBackMs: number };

export interface DeliveryGate {
  /** A place at the endpoint, at once or within a moment; or the time after which to try again. */
  enter(endpointId: string): Promise<Entry>;
}

interface Waiter {
  readonly admit: (entry: Entry) => void;
  readonly timer: NodeJS.Timeout;
}

interface Lane {
  /** When each exchange in flight began. */
  readonly begun: Set<{ readonly atMs: number }>;
  readonly waiters: Set<Waiter>;
  /** What the last exchange took. */
  latencyMs: number;
  /** When the next one sent away may come back: they return one by one, as fast as the endpoint answers. */
  nextMs: number;
}

/**
 * At most five exchanges with one endpoint at a time, so that a slow one cannot take the worker's slots from the others. A
 * quick endpoint's burst queues up here for a moment; everything else goes back to the queue until it may have a chance.
 */
export function createDeliveryGate(clock: () => number = () => performance.now()): DeliveryGate {
  const lanes = new Map<string, Lane>();

  /** What an exchange takes by all that is known: one that has lasted long will last longer. */
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
        // A slow one is remembered, so that its next burst is not waited for either.
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
