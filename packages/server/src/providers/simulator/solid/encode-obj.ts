import { type Mesh, pointAt } from './mesh.ts';

/** Wavefront OBJ, positions and normals. */
export function encodeObj({ positions, normals, indices }: Mesh): string {
  const lines = ['# Simulated solid', 'o solid'];
  const vertices = positions.length / 3;
  for (const [word, numbers] of [
    ['v', positions],
    ['vn', normals],
  ] as const) {
    for (let vertex = 0; vertex < vertices; vertex++) {
      const point = pointAt(numbers, vertex).map((value) => Number(value.toFixed(5)));
      lines.push(`${word} ${point.join(' ')}`);
    }
  }
  for (let at = 0; at < indices.length; at += 3) {
    const corners = [...indices.subarray(at, at + 3)].map((index) => `${index + 1}//${index + 1}`);
    lines.push(`f ${corners.join(' ')}`);
  }
  return `${lines.join('\n')}\n`;
}
