import { expect, test } from 'vitest';
import { marginOf } from './margin.tsx';
import { readNumber, readPrice, writePrice } from './read-price.ts';

test('a price survives the form', () => {
  for (const price of [
    { perOutput: 7 },
    { perOutput: 0.5, roundUpTo: 5 },
    { perOutput: 7, lines: [{ label: 'Large', coins: 5, when: { resolution: '2k' } }] },
  ]) {
    expect(readPrice(writePrice(price))).toEqual(price);
  }
});

test('an incomplete form is no price', () => {
  const form = { base: '7', lines: '', roundUpTo: '' };
  for (const wrong of [{ base: '' }, { base: '-1' }, { lines: '{' }, { lines: '{}' }, { roundUpTo: 'x' }]) {
    expect(readPrice({ ...form, ...wrong })).toBeNull();
  }
});

test('numbers are plain decimals', () => {
  expect(['7', '0.25', '1e3', '+1', '', '1,5'].map(readNumber)).toEqual([7, 0.25, null, null, null, null]);
});

test('a margin needs a cost and an income, and may be negative', () => {
  expect([marginOf(100, 40), marginOf(100, 120), marginOf(100, null), marginOf(0, 0)]).toEqual([60, -20, null, null]);
});
