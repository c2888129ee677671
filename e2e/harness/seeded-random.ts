export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
}

/** The same seed produces the same choices; only the timing differs between runs. (mulberry32) */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
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
