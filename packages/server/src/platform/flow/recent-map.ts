/**
 * A map of the most recently used entries, at most `maxEntries`. It has two halves: when the young one is full it replaces
 * the old one, and entries not read since are dropped. Evicting single entries from one Map gets slower with every
 * eviction.
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
