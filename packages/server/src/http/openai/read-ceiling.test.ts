import { expect, test } from 'vitest';
import { readCeiling } from './read-ceiling.ts';

test.each([
  ['50', null, 50],
  [undefined, 7, 7],
  ['', 7, 7],
  ['50', 7, 7],
  ['5', 7, 5],
])('the header %j and the cap %j give %i', (header, cap, ceiling) => {
  expect(readCeiling(header, cap)).toBe(ceiling);
});

test('without either, the request is refused and the message says what to do', () => {
  expect(() => readCeiling(undefined, null)).toThrow(
    expect.objectContaining({
      openaiCode: 'max_coins_required',
      message: expect.stringMatching(/cap per request.*X-Max-Coins.*Nothing was charged/),
    }),
  );
});

test.each(['0', '-1', '1.5', '1e3', 'many', ' 5', '9'.repeat(13)])('refuses %j', (header) => {
  expect(() => readCeiling(header, 7)).toThrow(expect.objectContaining({ code: 'invalid_params' }));
});

test('refuses two headers', () => {
  expect(() => readCeiling(['5', '6'], null)).toThrow(expect.objectContaining({ code: 'invalid_params' }));
});
