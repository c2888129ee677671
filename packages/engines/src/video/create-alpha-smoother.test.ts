import { expect, test } from 'vitest';
import { createAlphaSmoother } from './create-alpha-smoother.ts';

const size = { width: 2, height: 1 };
const still = Buffer.from([10, 10, 10, 10, 10, 10]);

test('flicker over a still image is damped', () => {
  const smooth = createAlphaSmoother(size);
  const levels = [255, 155, 255, 155, 255, 155].map((value) => smooth(still, Buffer.from([value, value]))[0]!);
  expect(Math.abs(levels[5]! - levels[4]!)).toBeLessThan(60);
});

test('where the image moves, only the new alpha counts', () => {
  const smooth = createAlphaSmoother(size);
  smooth(still, Buffer.from([255, 255]));
  const moved = smooth(Buffer.from([200, 200, 200, 10, 10, 10]), Buffer.from([0, 0]));
  expect(moved[0]).toBe(0);
  expect(moved[1]).toBeGreaterThan(100);
});
