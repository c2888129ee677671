import { seededRandom } from '@atelier/server/platform/seeded-random.ts';

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
}

/** The same seed produces the same choices; only the timing differs between runs. */
export function createSeededRandom(seed: number): Random {
  const next = seededRandom(seed);
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (list) => {
      if (list.length === 0) throw new Error('nothing to pick from');
      return list[Math.floor(next() * list.length)] as (typeof list)[number];
    },
    chance: (share) => next() < share,
  };
}
