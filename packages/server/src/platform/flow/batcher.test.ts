import { expect, test } from 'vitest';
import { createBatcher, writeInBatches } from './batcher.ts';

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

test('each item gets its own result', async () => {
  const double = createBatcher<number, number>({ maxBatch: 2, run: async (items) => items.map((item) => item * 2) });
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
});

test('with each-turn, the items of one turn go together and batches run concurrently', async () => {
  const batches: number[][] = [];
  const free: (() => void)[] = [];
  const add = createBatcher<number, void>({
    maxBatch: 2,
    start: 'each-turn',
    run: (items) => {
      batches.push([...items]);
      return new Promise((resolve) => free.push(() => resolve([])));
    },
  });
  const all = [1, 2, 3].map(add);
  expect(batches).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toEqual([[1, 2], [3]]);
  for (const each of free) each();
  await Promise.all(all);
});
