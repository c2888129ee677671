/** Lets a bounded number in at once; the others wait in order. */
export interface Gate {
  run: <T>(work: () => Promise<T>) => Promise<T>;
}

export function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  return {
    async run(work) {
      if (free > 0) free--;
      else await new Promise<void>((enter) => waiting.push(enter));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}

export interface FairGateOptions {
  /** How many are in at once, of all owners. */
  readonly places: number;
  readonly placesPerOwner: number;
  /** How much the entrants of one owner may weigh together. One that weighs more enters alone. */
  readonly weightPerOwner: number;
}

/** A gate that no owner can fill: others pass those who wait for their own share. */
export interface FairGate {
  run: <T>(entrant: { owner: string; weight: number }, work: () => Promise<T>) => Promise<T>;
}

interface OwnerLine {
  inside: number;
  weightInside: number;
  readonly waiting: { readonly weight: number; readonly enter: () => void }[];
}

/** Lets in the first of the owner that has the fewest inside; among equals the one that was served the longest ago. */
export function createFairGate(options: FairGateOptions): FairGate {
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
      // Behind the others, whose turn is next.
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
        // What weighs nothing is a later step of work that was let in before: it goes first, so that work is finished.
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
