export interface Rounds {
  /** Medians of all rounds. */
  readonly ours: number;
  readonly baseline: number;
  /** The median of the ratios of each round, not the ratio of the medians: both sides of a round see the same machine. */
  readonly ratio: number;
  /** The median of the differences of each round, ours minus baseline. */
  readonly added: number;
}

/** Measures both sides in turn. Every other round starts with the other side, so that neither is always the second. */
export async function alternate(options: {
  readonly rounds: number;
  readonly ours: () => Promise<number>;
  readonly baseline: () => Promise<number>;
}): Promise<Rounds> {
  const pairs: Array<{ ours: number; baseline: number }> = [];
  for (let round = 0; round < options.rounds; round += 1) {
    if (round % 2 === 0) {
      const baseline = await options.baseline();
      pairs.push({ baseline, ours: await options.ours() });
    } else {
      const ours = await options.ours();
      pairs.push({ ours, baseline: await options.baseline() });
    }
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    baseline: median(pairs.map((pair) => pair.baseline)),
    ratio: median(pairs.map((pair) => pair.ours / pair.baseline)),
    added: median(pairs.map((pair) => pair.ours - pair.baseline)),
  };
}

/** The value below which this share of the list lies, for example 0.99. */
export function quantile(list: readonly number[], share: number): number {
  if (list.length === 0) throw new Error('no value was measured');
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

export function median(list: readonly number[]): number {
  const half = list.length / 2;
  if (Number.isInteger(half) && half > 0) {
    const sorted = [...list].sort((a, b) => a - b);
    return ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
  }
  return quantile(list, 0.5);
}
