import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planTiles } from './open-upscaler.ts';

test('tiles cover every pixel and stay inside', () => {
  const length = fc.integer({ min: 1, max: 60 });
  fc.assert(
    fc.property(length, length, fc.integer({ min: 1, max: 25 }), (width, height, side) => {
      const covered = new Uint8Array(width * height);
      for (const tile of planTiles({ width, height }, side)) {
        expect(tile.left >= 0 && tile.top >= 0).toBe(true);
        expect(tile.left + tile.width <= width && tile.top + tile.height <= height).toBe(true);
        for (let y = tile.top; y < tile.top + tile.height; y++) {
          covered.fill(1, y * width + tile.left, y * width + tile.left + tile.width);
        }
      }
      return covered.every((each) => each === 1);
    }),
  );
});
