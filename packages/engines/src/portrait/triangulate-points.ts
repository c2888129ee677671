import type { Point } from './face-mesh.ts';

export type Triangle = readonly [number, number, number];

interface Circled {
  readonly corners: Triangle;
  readonly middle: Point;
  readonly radius2: number;
}

const FAR = 20;
const ROUNDING = 1e-9;

/** Delaunay triangles of a few hundred points, one point added after another. */
export function triangulatePoints(points: readonly Point[]): Triangle[] {
  const span = Math.max(...points.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)])) * FAR + 1;
  const all = [...points, { x: -span, y: -span }, { x: span, y: -span }, { x: 0, y: span }];
  const count = points.length;
  let triangles: Circled[] = [circle(all, [count, count + 1, count + 2])!];
  for (let index = 0; index < count; index++) {
    const at = all[index]!;
    const kept: Circled[] = [];
    const edges = new Map<string, readonly [number, number]>();
    for (const triangle of triangles) {
      const { middle, radius2, corners } = triangle;
      if ((at.x - middle.x) ** 2 + (at.y - middle.y) ** 2 > radius2 + ROUNDING) {
        kept.push(triangle);
        continue;
      }
      for (const [from, to] of [
        [0, 1],
        [1, 2],
        [2, 0],
      ] as const) {
        const edge = [corners[from], corners[to]].sort((one, other) => one - other) as [number, number];
        const key = edge.join();
        // An edge shared by two removed triangles is inside the hole; the others form its boundary.
        if (!edges.delete(key)) edges.set(key, edge);
      }
    }
    for (const [from, to] of edges.values()) {
      const made = circle(all, [from, to, index]);
      if (made !== null) kept.push(made);
    }
    triangles = kept;
  }
  return triangles.map(({ corners }) => corners).filter((corners) => corners.every((corner) => corner < count));
}

function circle(points: readonly Point[], corners: Triangle): Circled | null {
  const [a, b, c] = corners.map((corner) => points[corner]!) as [Point, Point, Point];
  const [bx, by, cx, cy] = [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y];
  const area = 2 * (bx * cy - by * cx);
  if (Math.abs(area) < ROUNDING) return null;
  const [b2, c2] = [bx * bx + by * by, cx * cx + cy * cy];
  const [x, y] = [(cy * b2 - by * c2) / area, (bx * c2 - cx * b2) / area];
  return { corners, middle: { x: a.x + x, y: a.y + y }, radius2: x * x + y * y };
}
