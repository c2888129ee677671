import { expect, test } from 'vitest';
import { countCodePoints } from './text.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 2],
  ['😀😀', 2],
  ['a😀b', 3],
  ['\ud83d', 1],
  ['\ude00\ud83d', 2],
])('%j has %i code points', (text, count) => {
  expect(countCodePoints(text)).toBe(count);
  expect(countCodePoints(text)).toBe([...text].length);
});
