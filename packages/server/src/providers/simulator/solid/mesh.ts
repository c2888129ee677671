/** Triangles with one normal per vertex; all numbers of a vertex are adjacent. */
export interface Mesh {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly indices: Uint16Array;
}

export type Point = readonly [x: number, y: number, z: number];

export function pointAt(numbers: Float32Array, vertex: number): Point {
  return [numbers[3 * vertex] ?? 0, numbers[3 * vertex + 1] ?? 0, numbers[3 * vertex + 2] ?? 0];
}

export function faceNormal([a, b, c]: readonly [Point, Point, Point]): Point {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}
