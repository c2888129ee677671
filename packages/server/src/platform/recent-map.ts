/**
 * A map that holds the entries used last, at most `maxEntries` of them. Two generations: when the young one is full it
 * becomes the old one, and what nobody asks for until the next time is gone. Taking the oldest entry out of one map
 * instead would cost more with every entry taken before.
 */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function createRecentMap<V>(maxEntries: number): RecentMap<V> {
  const half = Math.ceil(maxEntries / 2);
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  const set = (key: string, value: V) => {
    if (young.size >= half && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
  };
}
