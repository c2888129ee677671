import type { Generation } from '@atelier/sdk';
import { expect, test } from 'vitest';
import { countUsage, firstDay } from './usage.ts';

const made = (createdAt: string, modelId: string, coinsCharged: number | null, projectId: string | null = null) =>
  ({ createdAt, modelId, coinsCharged, projectId }) as Generation;

const GENERATIONS = [
  made('2026-03-02T23:59:59.999Z', 'canvas', 7, 'spring'),
  made('2026-03-02T00:00:00.000Z', 'voice', 30),
  made('2026-03-01T12:00:00.000Z', 'canvas', 7, 'spring'),
  // Not settled yet, so not charged.
  made('2026-03-01T11:00:00.000Z', 'canvas', null),
];

test('days come in order; models and projects by what they cost', () => {
  expect(countUsage(GENERATIONS, 'day')).toEqual([
    { name: '2026-03-01', generations: 2, coins: 7 },
    { name: '2026-03-02', generations: 2, coins: 37 },
  ]);
  expect(countUsage(GENERATIONS, 'model')).toEqual([
    { name: 'voice', generations: 1, coins: 30 },
    { name: 'canvas', generations: 3, coins: 14 },
  ]);
  expect(countUsage(GENERATIONS, 'project')).toEqual([
    { name: '(no project)', generations: 2, coins: 30 },
    { name: 'spring', generations: 2, coins: 14 },
  ]);
});

test('the days end with today, in UTC', () => {
  const now = Date.parse('2026-03-02T23:30:00.000Z');
  expect(firstDay(now, 1)).toBe('2026-03-02T00:00:00.000Z');
  expect(firstDay(now, 30)).toBe('2026-02-01T00:00:00.000Z');
});
