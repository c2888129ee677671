import { expect, test } from 'vitest';
import { readCoins } from './read-coins.ts';

test.each([
  ['', null],
  ['1,000', 1_000],
  ['0', undefined],
  ['many', undefined],
])('%j is %j', (text, coins) => {
  expect(readCoins(text)).toBe(coins);
});
