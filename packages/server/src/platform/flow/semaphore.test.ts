import { expect, test } from 'vitest';
import { createFairSemaphore, createSemaphore } from './semaphore.ts';

const options = { places: 4, placesPerOwner: 2, weightPerOwner: 100 };

/** A semaphore whose tasks run until the test ends them. */
function watch(semaphore = createFairSemaphore(options)) {
  const inside: string[] = [];
  const leave = new Map<string, () => void>();
  return {
    inside,
    async enter(owner: string, weight = 1, name = `${owner}${leave.size}`) {
      void semaphore.run({ owner, weight }, async () => {
        inside.push(name);
        await new Promise<void>((resolve) => leave.set(name, resolve));
        inside.splice(inside.indexOf(name), 1);
      });
      await settle();
      return name;
    },
    async leave(name: string) {
      leave.get(name)?.();
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('an owner with many waiting tasks gets its share, and another owner starts at once', async () => {
  const { inside, enter } = watch();
  for (let n = 0; n < 48; n += 1) await enter('a', 1, `a${n}`);
  expect(inside).toEqual(['a0', 'a1']);
  await enter('b', 1, 'b0');
  expect(inside).toEqual(['a0', 'a1', 'b0']);
});

test('a free place goes to the owner with the fewest running tasks', async () => {
  const { inside, enter, leave } = watch();
  for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'c0', 'c1']) await enter(name.charAt(0), 1, name);
  expect(inside).toEqual(['a0', 'a1', 'b0', 'b1']);
  await leave('a0');
  expect(inside).toEqual(['a1', 'b0', 'b1', 'c0']);
  await leave('b0');
  expect(inside).toEqual(['a1', 'b1', 'c0', 'a2']);
});

test('the tasks of one owner stay within its weight limit; a heavier task runs alone', async () => {
  const { inside, enter, leave } = watch();
  for (const [name, weight] of [
    ['a0', 60],
    ['a1', 60],
    ['b0', 40],
    ['b1', 60],
    ['c0', 500],
    ['c1', 0],
  ] as const) {
    await enter(name.charAt(0), weight, name);
  }
  expect(inside).toEqual(['a0', 'b0', 'b1', 'c0']);
  await leave('a0');
  await leave('c0');
  expect(inside).toEqual(['b0', 'b1', 'a1', 'c1']);
});

test('tasks without weight go before the heavier tasks of their owner, in order', async () => {
  const { inside, enter, leave } = watch(createFairSemaphore({ places: 1, placesPerOwner: 1, weightPerOwner: 100 }));
  for (const name of ['a0', 'a1', 'a2']) await enter('a', 50, name);
  for (const name of ['a3', 'a4']) await enter('a', 0, name);
  const order: string[] = [];
  while (inside[0] !== undefined) {
    order.push(inside[0]);
    await leave(inside[0]);
  }
  expect(order).toEqual(['a0', 'a3', 'a4', 'a1', 'a2']);
});

test('a failure frees the place', async () => {
  const gate = createFairSemaphore({ places: 1, placesPerOwner: 1, weightPerOwner: 1 });
  await expect(gate.run({ owner: 'a', weight: 1 }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await gate.run({ owner: 'a', weight: 1 }, async () => 'in')).toBe('in');
});

test('a semaphore runs so many tasks at once and no more, in order', async () => {
  const semaphore = createSemaphore(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, (_, number) =>
      semaphore.run(async () => {
        most = Math.max(most, ++inside);
        order.push(number);
        await new Promise((resolve) => setTimeout(resolve, 1));
        inside--;
      }),
    ),
  );
  expect(most).toBe(2);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test('waiting for a place ends with the signal, and a place is freed once', async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire();
  const controller = new AbortController();
  const aborted = semaphore.run(async () => 'never', controller.signal);
  const next = semaphore.run(async () => 'next');
  controller.abort(new Error('lease lost'));
  await expect(aborted).rejects.toThrow('lease lost');
  await expect(semaphore.acquire(controller.signal)).rejects.toThrow('lease lost');
  release();
  release();
  expect(await next).toBe('next');
  const again = await semaphore.acquire();
  expect(await Promise.race([semaphore.acquire(), settle().then(() => 'full')])).toBe('full');
  again();
});
