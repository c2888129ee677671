import { expect, test } from 'vitest';
import { matchPalette } from './transfer-style.ts';

const grey = (...levels: number[]) => Buffer.from(levels.flatMap((level) => [level, level, level]));

test('dark pixels get the dark colours of the style, light pixels the light ones', () => {
  const style = Buffer.from([...Array(50).fill([0, 0, 120]), ...Array(50).fill([250, 240, 90])].flat());
  const content = grey(...Array(50).fill(10), ...Array(50).fill(200));
  const out = matchPalette(content, style);
  expect([...out.subarray(0, 3)]).toEqual([0, 0, 120]);
  expect([...out.subarray(-3)]).toEqual([250, 240, 90]);
});

test('the order of brightness does not change', () => {
  const ramp = Buffer.from(Array.from({ length: 256 }, (_, level) => [level, level / 2, 255 - level / 2]).flat());
  const out = matchPalette(grey(...Array.from({ length: 256 }, (_, level) => level)), ramp);
  const brightness = Array.from(
    { length: 256 },
    (_, at) => 0.3 * out[at * 3]! + 0.59 * out[at * 3 + 1]! + 0.11 * out[at * 3 + 2]!,
  );
  expect(brightness.every((value, at) => at === 0 || value >= brightness[at - 1]! - 1.5)).toBe(true);
});
