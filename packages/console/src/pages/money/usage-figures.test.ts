import { expect, test } from 'vitest';
import { daysOf } from './money-queries.ts';
import { fillDays, restOf, roundUp } from './usage-figures.ts';

test('a period ends today and has all its days', () => {
  const days = daysOf(3, Date.parse('2026-03-01T23:59:00.000Z'));
  expect(days).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  const used = [{ day: '2026-02-28', coins: 5, generations: 2 }];
  expect(fillDays(days, used).map(({ coins }) => coins)).toEqual([0, 5, 0]);
});

test.each([
  [0, 1],
  [7, 7],
  [11, 20],
  [210, 250],
  [999, 1_000],
  [4_100, 5_000],
])('the top of a chart of %i is %i', (value, top) => {
  expect(roundUp(value)).toBe(top);
});

test('what the largest groups leave', () => {
  const groups = [{ id: 'a', name: null, coins: 6, generations: 2 }];
  expect(restOf({ coins: 10, generations: 3 }, groups)).toEqual({ coins: 4, generations: 1 });
  expect(restOf({ coins: 6, generations: 2 }, groups)).toBeNull();
});
