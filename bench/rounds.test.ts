import { expect, test } from 'vitest';
import { bars, checkBar, renderBars } from './bars.ts';
import { alternate, median, quantile } from './rounds.ts';

test('rounds alternate, and every other one starts with the other side', async () => {
  const calls: string[] = [];
  const side = (name: string) => async () => calls.push(name);
  await alternate({ rounds: 3, ours: side('ours'), baseline: side('baseline') });
  expect(calls).toEqual(['baseline', 'ours', 'ours', 'baseline', 'baseline', 'ours']);
});

test('the ratio is the median of the ratios of each round', async () => {
  const ours = [50, 90, 30];
  const baseline = [100, 100, 300];
  const figures = await alternate({
    rounds: 3,
    ours: async () => ours.shift() ?? 0,
    baseline: async () => baseline.shift() ?? 0,
  });
  expect(figures).toEqual({ ours: 50, baseline: 100, ratio: 0.5, added: -50 });
});

test('median and quantile', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(quantile([5, 1, 4, 2, 3], 0.99)).toBe(5);
  expect(() => median([])).toThrow('no value');
});

test('a missed bar is marked, and a figure that was not measured too', () => {
  const row = { path: 'a', bench: 'x', value: 'ratio', atLeast: 0.5 };
  const late = { path: 'b', bench: 'x', value: 'p99', unit: 'ms', atMost: 3 };
  const free = { path: 'c', bench: 'x', value: 'bytes', unit: 'bytes' };
  expect(checkBar(row, { ratio: 0.5 }).met).toBe(true);
  expect(checkBar(row, { ratio: 0.49 }).met).toBe(false);
  expect(checkBar(late, { p99: 3.1 }).met).toBe(false);
  expect(checkBar(free, { bytes: 7 }).met).toBeNull();
  const text = renderBars([checkBar(row, { ratio: 0.4 }), checkBar(late, { p99: 2 }), checkBar(late, {})]);
  expect(text.split('\n').map((line) => line.split(/ {2,}/).at(-1)?.trim())).toEqual([
    '',
    'MISSED',
    'met',
    'NOT MEASURED',
  ]);
});

test('every bar has at most one limit', () => {
  expect(bars.filter((row) => row.atLeast !== undefined && row.atMost !== undefined)).toEqual([]);
});
