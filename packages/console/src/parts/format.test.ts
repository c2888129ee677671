import { describe, expect, test } from 'vitest';
import { createFormat } from './format.ts';

const NOW = Date.parse('2026-11-14T18:45:00.000Z');
const format = createFormat('en-GB', () => NOW);
const at = (offMs: number): string => new Date(NOW + offMs).toISOString();
const DAY = 86_400_000;

describe('near', () => {
  test.each([
    [-12_000, '12 sec ago'],
    [-3 * 60_000, '3 min ago'],
    [-2 * 3_600_000, '2 hr ago'],
    [-DAY, 'yesterday'],
    [9 * DAY, 'in 9 days'],
    [-20 * DAY, '25 Oct'],
    [92 * DAY, '14 Feb 2027'],
  ])('%i ms away is %s', (offMs, expected) => {
    expect(format.near(at(offMs))).toBe(expected);
  });
});

test.each([
  [171, '171 ms'],
  [3_460, '3.5 s'],
  [240_000, '4 min'],
  [10_800_000, '3 h'],
])('a span of %i ms is %s', (ms, expected) => {
  expect(format.span(ms)).toBe(expected);
});

test('numbers follow the language', () => {
  expect(format.number(12_476)).toBe('12,476');
  expect(createFormat('de-DE').number(12_476)).toBe('12.476');
});
