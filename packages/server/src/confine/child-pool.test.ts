import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChildPool, type ChildPoolOptions, createChildPool, NO_KEY } from './child-pool.ts';

interface FakeChild {
  readonly number: number;
  readonly key: string;
  works: boolean;
  stopped: boolean;
  usable(): boolean;
  stop(): Promise<void>;
}

let pool: ChildPool<FakeChild>;
let children: FakeChild[];

function open(options: Partial<ChildPoolOptions<FakeChild>> = {}) {
  pool = createChildPool<FakeChild>({
    start: async (key) => {
      const child: FakeChild = {
        number: children.length,
        key,
        works: true,
        stopped: false,
        usable: () => child.works && !child.stopped,
        stop: async () => {
          child.stopped = true;
        },
      };
      children.push(child);
      return child;
    },
    maxRuns: 3,
    idleMs: 60_000,
    maxIdle: 2,
    ...options,
  });
}
const numberFor = (key: string) => pool.use({ key }, async ({ number }) => number);
const stopped = () => children.filter((child) => child.stopped).map(({ number }) => number);

beforeEach(() => {
  vi.useFakeTimers();
  children = [];
});
afterEach(async () => {
  await pool.close();
  expect(children.every((child) => child.stopped)).toBe(true);
  vi.useRealTimers();
});

test('a child works for one key only, and is replaced after its last run', async () => {
  open();
  expect([await numberFor('a'), await numberFor('b'), await numberFor('a'), await numberFor('a')]).toEqual([
    0, 1, 0, 0,
  ]);
  expect(stopped()).toEqual([0]);
  expect(await numberFor('a')).toBe(2);
});

test('concurrent runs get a child each, and the oldest idle ones are stopped', async () => {
  open();
  const all = await Promise.all(['a', 'a', 'a'].map(numberFor));
  expect(all).toEqual([0, 1, 2]);
  expect(stopped()).toEqual([0]);
});

test('an idle child is stopped after its timeout, and a broken one is not reused', async () => {
  open();
  await numberFor('a');
  children[0]!.works = false;
  expect(await numberFor('a')).toBe(1);
  await vi.advanceTimersByTimeAsync(70_000);
  expect(stopped()).toEqual([0, 1]);
});

test('a run that fails keeps its child; one that is aborted stops it', async () => {
  open();
  await expect(pool.use({ key: 'a' }, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(await numberFor('a')).toBe(0);
  const controller = new AbortController();
  const aborted = pool.use({ key: 'a', signal: controller.signal }, async (child) => {
    controller.abort();
    expect(child.stopped).toBe(true);
  });
  await aborted;
  expect(await numberFor('a')).toBe(1);
});

test('any key may use a spare child, and a run without a key does not bind it', async () => {
  open({ spares: 2 });
  await vi.advanceTimersByTimeAsync(0);
  expect(children).toHaveLength(1);
  expect([await numberFor(NO_KEY), await numberFor('a')]).toEqual([0, 0]);
  await vi.advanceTimersByTimeAsync(0);
  expect(children.map(({ key }) => key)).toEqual([NO_KEY, NO_KEY, NO_KEY]);
  expect([await numberFor('a'), await numberFor('b')]).toEqual([0, 2]);
});

test('a closed pool stops every child and runs nothing', async () => {
  open({ spares: 1 });
  const running = numberFor('a');
  await pool.close();
  await running.catch(() => {});
  await expect(numberFor('a')).rejects.toThrow('closed');
});
