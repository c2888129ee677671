import { describe, expect, test } from 'vitest';
import { createRecentMap } from './recent-map.ts';

describe('createRecentMap', () => {
  test('returns the last value set', () => {
    const map = createRecentMap<number>(10);
    expect(map.get('a')).toBeUndefined();
    map.set('a', 1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
  });

  test('respects its limit and keeps the most recently used entries', () => {
    const map = createRecentMap<number>(100);
    for (let n = 0; n < 1_000; n += 1) map.set(`k${n}`, n);
    // From newest to oldest: a read counts as a use and evicts only older entries.
    const kept = Array.from({ length: 1_000 }, (_, n) => 999 - n).filter((n) => map.get(`k${n}`) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, n) => 999 - n));
  });

  test('an entry in use survives any number of others', () => {
    const map = createRecentMap<number>(100);
    map.set('used', 7);
    for (let n = 0; n < 10_000; n += 1) {
      map.set(`k${n}`, n);
      expect(map.get('used')).toBe(7);
    }
  });

  test('a new value replaces the one in the old half', () => {
    const map = createRecentMap<number>(4);
    map.set('a', 1);
    map.set('b', 1);
    map.set('c', 1);
    map.set('a', 2);
    expect(map.get('a')).toBe(2);
  });

  test('stays fast when it overflows', () => {
    const map = createRecentMap<number>(50_000);
    const startedAt = performance.now();
    for (let n = 0; n < 400_000; n += 1) map.set(`k${n}`, n);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
