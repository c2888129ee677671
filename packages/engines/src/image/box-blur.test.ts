import { describe, expect, test } from 'vitest';
import { boxBlur } from './planes.ts';

function slowly(values: Float32Array, { width, height, radius }: { width: number; height: number; radius: number }) {
  return values.map((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    let [sum, count] = [0, 0];
    for (let row = Math.max(0, y - radius); row <= Math.min(height - 1, y + radius); row++) {
      for (let column = Math.max(0, x - radius); column <= Math.min(width - 1, x + radius); column++) {
        sum += values[row * width + column]!;
        count++;
      }
    }
    return sum / count;
  });
}

describe('boxBlur', () => {
  test.each([
    { width: 7, height: 5, radius: 1 },
    { width: 5, height: 9, radius: 2 },
    { width: 3, height: 2, radius: 4 },
    { width: 1, height: 1, radius: 3 },
  ])('is the mean of the square: $width x $height, radius $radius', (options) => {
    const values = Float32Array.from({ length: options.width * options.height }, (_, i) => (i * 37) % 11);
    const [fast, slow] = [boxBlur(values, options), slowly(values, options)];
    for (const [i, value] of fast.entries()) expect(value).toBeCloseTo(slow[i]!, 4);
  });
});
