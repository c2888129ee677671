import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Box } from '../image/planes.ts';
import { groupHoles } from './holes.ts';

function draw(size: { width: number; height: number }, holes: readonly Box[]): Buffer {
  const mask = Buffer.alloc(size.width * size.height);
  for (const { left, top, width, height } of holes) {
    for (let y = top; y < Math.min(size.height, top + height); y++) {
      mask.fill(255, y * size.width + left, y * size.width + Math.min(size.width, left + width));
    }
  }
  return mask;
}

describe('groupHoles', () => {
  const size = { width: 900, height: 600 };

  test('distant holes get separate windows, close ones share', () => {
    const near = draw(size, [
      { left: 100, top: 100, width: 20, height: 20 },
      { left: 180, top: 120, width: 20, height: 20 },
      { left: 700, top: 400, width: 30, height: 30 },
    ]);
    const windows = groupHoles(near, { ...size, minSide: 128, context: 1 });
    expect(windows).toHaveLength(2);
  });

  test('a window is never larger than the image', () => {
    const whole = draw(size, [{ left: 0, top: 0, ...size }]);
    expect(groupHoles(whole, { ...size, minSide: 512, context: 1 })).toEqual([{ left: 0, top: 0, ...size }]);
  });

  test('every marked pixel is in exactly one window, and windows do not overlap', () => {
    const hole = fc.record({
      left: fc.integer({ min: 0, max: 899 }),
      top: fc.integer({ min: 0, max: 599 }),
      width: fc.integer({ min: 1, max: 120 }),
      height: fc.integer({ min: 1, max: 120 }),
    });
    fc.assert(
      fc.property(fc.array(hole, { minLength: 1, maxLength: 6 }), (holes) => {
        const mask = draw(size, holes);
        const windows = groupHoles(mask, { ...size, minSide: 64, context: 0.5 });
        for (let i = 0; i < mask.length; i += 7) {
          if (mask[i] !== 255) continue;
          const [x, y] = [i % size.width, Math.floor(i / size.width)];
          const holding = windows.filter(
            (box) => x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height,
          );
          if (holding.length !== 1) return false;
        }
        return windows.every(
          ({ left, top, width, height }) => left >= 0 && top >= 0 && left + width <= 900 && top + height <= 600,
        );
      }),
      { numRuns: 60 },
    );
  });
});
