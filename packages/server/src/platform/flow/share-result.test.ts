import { expect, test, vi } from 'vitest';
import { shareResult } from './share-result.ts';

test('one run is in progress at a time, and its result is shared for one second', async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    const release: Array<(value: number) => void> = [];
    const ask = shareResult(1_000, () => {
      runs += 1;
      return new Promise<number>((resolve) => release.push(resolve));
    });
    const together = [ask(), ask(), ask()];
    expect(runs).toBe(1);
    release[0]?.(7);
    expect(await Promise.all(together)).toEqual([7, 7, 7]);
    await vi.advanceTimersByTimeAsync(999);
    expect(await ask()).toBe(7);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    void ask();
    expect(runs).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a failed run is not cached', async () => {
  let runs = 0;
  const ask = shareResult(60_000, async () => {
    runs += 1;
    if (runs === 1) throw new Error('broken');
    return runs;
  });
  await expect(ask()).rejects.toThrow('broken');
  expect(await ask()).toBe(2);
});
