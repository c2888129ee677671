import { expect, test } from 'vitest';
import { triangulatePoints } from './triangulate-points.ts';

test('triangles cover the hull once and contain no other point', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const inner = Array.from({ length: 200 }, () => ({ x: 0.01 + 0.98 * random(), y: 0.01 + 0.98 * random() }));
  const points = [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 1 }, { x: 0, y: 1 }, ...inner];
  const triangles = triangulatePoints(points);
  // Euler: for all points but the four of the hull two triangles each, and two for the square.
  expect(triangles).toHaveLength(2 * inner.length + 2);
  const areas = triangles.map((corners) => {
    const [a, b, c] = corners.map((corner) => points[corner]!);
    return Math.abs((b!.x - a!.x) * (c!.y - a!.y) - (c!.x - a!.x) * (b!.y - a!.y)) / 2;
  });
  expect(areas.reduce((sum, area) => sum + area, 0)).toBeCloseTo(1, 9);
});
