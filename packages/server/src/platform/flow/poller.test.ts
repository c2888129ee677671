import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPoller } from './poller.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('reads at the start and at each interval, keeps the last value while reading fails, and stops when closed', async () => {
  let count = 0;
  let fails = false;
  const poller = await createPoller({
    intervalMs: 1_000,
    read: async () => {
      count += 1;
      if (fails) throw new Error('no database');
      return count;
    },
  });
  expect(poller.current()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(poller.current()).toBe(2);
  fails = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect([poller.current(), count]).toEqual([2, 3]);
  await expect(poller.refresh()).rejects.toThrow('no database');
  fails = false;
  await poller.refresh();
  expect(poller.current()).toBe(5);
  poller.close();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(count).toBe(5);
});
