import { expect, test } from 'vitest';
import { writeInBatches } from './batcher.ts';

test('writes immediately when idle, in batches while a statement runs, and never above the batch limit', async () => {
  const batches: number[][] = [];
  let free = () => {};
  const write = writeInBatches<number>({
    maxBatch: 3,
    write: (items) => {
      batches.push([...items]);
      return batches.length > 1 ? Promise.resolve() : new Promise((resolve) => (free = resolve));
    },
  });
  const all = [1, 2, 3, 4, 5].map(write);
  expect(batches).toEqual([[1]]);
  free();
  await Promise.all(all);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  await write(6);
  expect(batches.at(-1)).toEqual([6]);
});

test('an item that cannot be written fails alone', async () => {
  const written: number[] = [];
  const write = writeInBatches<number>({
    maxBatch: 10,
    write: async (items) => {
      await Promise.resolve();
      if (items.includes(3)) throw new Error('not three');
      written.push(...items);
    },
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map(write));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(written).toEqual([1, 2, 4]);
});
