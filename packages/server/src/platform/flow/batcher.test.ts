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

test('items with the same key never share a batch, and keep their order', async () => {
  const batches: string[][] = [];
  const add = createBatcher<string, void>({
    maxBatch: 3,
    keyOf: (item) => item.slice(0, 1),
    run: async (items) => {
      batches.push([...items]);
      return [];
    },
  });
  await Promise.all(['a1', 'b1', 'c1', 'b2', 'a2', 'd1', 'e1'].map(add));
  expect(batches).toEqual([['a1'], ['b1', 'c1'], ['b2', 'a2', 'd1'], ['e1']]);
});

test('the next batch starts beside one that takes too long', async () => {
  const batches: number[][] = [];
  let free = () => {};
  const add = createBatcher<number, void>({
    maxBatch: 3,
    overlapAfterMs: 20,
    run: (items) => {
      batches.push([...items]);
      return items.includes(1) ? new Promise((resolve) => (free = () => resolve([]))) : Promise.resolve([]);
    },
  });
  const slow = add(1);
  await Promise.all([add(2), add(3)]);
  expect(batches).toEqual([[1], [2, 3]]);
  free();
  await slow;
});

test('the items of a refused batch are handled alone and concurrently, and the next batch does not wait for them', async () => {
  const batches: number[][] = [];
  const alone = new Map<number, () => void>();
  const add = createBatcher<number, string>({
    maxBatch: 2,
    run: async (items) => {
      batches.push([...items]);
      if (items.includes(3)) throw new Error('refused');
      return items.map((item) => `together ${item}`);
    },
    refused: (item, error) => {
      if (item === 3) return Promise.reject(error);
      return new Promise((resolve) => alone.set(item, () => resolve(`alone ${item}`)));
    },
  });
  const answers = [1, 2, 3, 4].map(add);
  await expect(answers[2]).rejects.toThrow('refused');
  expect(await answers[3]).toBe('together 4');
  expect(batches).toEqual([[1], [2, 3], [4]]);
  alone.get(2)?.();
  expect(await answers[1]).toBe('alone 2');
});
