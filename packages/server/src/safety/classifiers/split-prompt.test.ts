import { expect, test } from 'vitest';
import { splitPrompt } from './score-vectors.ts';

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`);

test('a short prompt stays whole', () => {
  expect(splitPrompt('  a cat\n on a sofa ')).toEqual(['a cat on a sofa']);
  expect(splitPrompt(' ')).toEqual([]);
});

test('a long prompt is split into overlapping windows up to its end', () => {
  const windows = splitPrompt(words(100).join(' '));
  expect(windows[0]!.split(' ')).toHaveLength(32);
  expect(windows[1]!.startsWith('w24 ')).toBe(true);
  expect(windows.at(-1)!.endsWith('w99')).toBe(true);
  for (const word of words(100)) expect(windows.some((window) => window.split(' ').includes(word))).toBe(true);
});
