/** Limits how many tasks run at once; the others wait in order. */
export interface Semaphore {
  /** Waits for a place, until the signal aborts. Returns a function that frees the place; calling it again does nothing. */
  acquire(signal?: AbortSignal): Promise<() => void>;
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting = new Set<() => void>();

  const createRelease = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    };
  };
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const abort = () => {
        waiting.delete(enter);
        reject(signal?.reason);
      };
      const enter = () => {
        waiting.delete(enter);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      waiting.add(enter);
      signal?.addEventListener('abort', abort, { once: true });
    });
  const acquire = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await wait(signal);
    return createRelease();
  };
  return {
    acquire,
    async run(work, signal) {
      const release = await acquire(signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

export interface FairSemaphoreOptions {
  /** Tasks that run at once, over all owners. */
  readonly places: number;
  readonly placesPerOwner: number;
  /** Limit on the total weight of one owner's running tasks. A heavier task runs alone. */
  readonly weightPerOwner: number;
}

/** A semaphore that no owner can exhaust: tasks of other owners overtake those that wait for their owner's share. */
export interface FairSemaphore {
  run: <T>(entrant: { owner: string; weight: number }, work: () => Promise<T>) => Promise<T>;
}

interface OwnerLine {
  inside: number;
  weightInside: number;
  readonly waiting: { readonly weight: number; readonly enter: () => void }[];
}

/** Starts the first task of the owner with the fewest running; among equals, of the owner served longest ago. */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const lines = new Map<string, OwnerLine>();
  let inside = 0;

  const mayEnter = (line: OwnerLine): boolean => {
    const [first] = line.waiting;
    if (first === undefined || line.inside >= options.placesPerOwner) return false;
    return line.inside === 0 || line.weightInside + first.weight <= options.weightPerOwner;
  };
  const letIn = () => {
    while (inside < options.places) {
      let next: [string, OwnerLine] | null = null;
      for (const each of lines) {
        if (mayEnter(each[1]) && (next === null || each[1].inside < next[1].inside)) next = each;
      }
      if (next === null) return;
      const [owner, line] = next;
      const entrant = line.waiting.shift()!;
      inside += 1;
      line.inside += 1;
      line.weightInside += entrant.weight;
      // Moves the owner behind the others, whose turn is next.
      lines.delete(owner);
      lines.set(owner, line);
      entrant.enter();
    }
  };

  return {
    async run({ owner, weight }, work) {
      const line = lines.get(owner) ?? { inside: 0, weightInside: 0, waiting: [] };
      lines.set(owner, line);
      await new Promise<void>((enter) => {
        // A task without weight is a later step of work already started: it goes first, so that started work finishes.
        const place = weight === 0 ? line.waiting.findIndex((each) => each.weight > 0) : -1;
        line.waiting.splice(place < 0 ? line.waiting.length : place, 0, { weight, enter });
        letIn();
      });
      try {
        return await work();
      } finally {
        inside -= 1;
        line.inside -= 1;
        line.weightInside -= weight;
        if (line.inside === 0 && line.waiting.length === 0) lines.delete(owner);
        letIn();
      }
    },
  };
}
