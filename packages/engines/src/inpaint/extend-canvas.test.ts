import { describe, expect, test } from 'vitest';
import { extendCanvas, planReframe, planStrip } from './extend-canvas.ts';

describe('planStrip', () => {
  test.each(['left', 'right', 'top', 'bottom'] as const)(
    'pieces along the %s cover the strip, each inside its window',
    (side) => {
      const size = { width: 4_500, height: 3_900 };
      const pieces = planStrip({ ...size, side, thickness: 100 });
      expect(pieces.length).toBeGreaterThan(1);
      const upright = side === 'left' || side === 'right';
      const covered = pieces.reduce((total, { hole }) => total + (upright ? hole.height : hole.width), 0);
      expect(covered).toBe(upright ? size.height : size.width);
      for (const { hole, window } of pieces) {
        expect(upright ? hole.width : hole.height).toBe(100);
        expect(hole.left).toBeGreaterThanOrEqual(window.left);
        expect(hole.top).toBeGreaterThanOrEqual(window.top);
        expect(hole.left + hole.width).toBeLessThanOrEqual(window.left + window.width);
        expect(hole.top + hole.height).toBeLessThanOrEqual(window.top + window.height);
        expect(window.left + window.width).toBeLessThanOrEqual(size.width);
        expect(window.top + window.height).toBeLessThanOrEqual(size.height);
      }
    },
  );
});

test('a canvas grows by exactly the margins and keeps the image in place', async () => {
  const [width, height] = [60, 40];
  const rgb = Buffer.from(Array.from({ length: width * height * 3 }, (_, i) => (i * 7) % 251));
  const margins = { left: 9, right: 0, top: 4, bottom: 11 };
  const filler = async (picture: { rgb: Buffer }) => picture.rgb;
  const made = await extendCanvas({ picture: { rgb, width, height }, margins, filler, report: () => {} });
  expect([made.width, made.height]).toEqual([69, 55]);
  for (let y = 0; y < height; y++) {
    const start = ((y + margins.top) * made.width + margins.left) * 3;
    expect(made.rgb.subarray(start, start + width * 3).equals(rgb.subarray(y * width * 3, (y + 1) * width * 3))).toBe(
      true,
    );
  }
});

describe('planReframe', () => {
  test.each([
    {
      size: { width: 1_000, height: 800 },
      aspect: 1.5,
      to: { grownWidth: 1_200, grownHeight: 800, width: 1_200, height: 800 },
    },
    {
      size: { width: 1_000, height: 1_000 },
      aspect: 2,
      to: { grownWidth: 1_500, grownHeight: 1_000, width: 1_500, height: 750 },
    },
    {
      size: { width: 1_600, height: 900 },
      aspect: 9 / 16,
      to: { grownWidth: 1_600, grownHeight: 1_350, width: 759, height: 1_350 },
    },
    {
      size: { width: 500, height: 500 },
      aspect: 1,
      to: { grownWidth: 500, grownHeight: 500, width: 500, height: 500 },
    },
  ])('$size.width x $size.height to $aspect', ({ size, aspect, to }) => {
    expect(planReframe(size, aspect)).toEqual(to);
  });
});
