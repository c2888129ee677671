import { expect, test } from 'vitest';
import { buildSolid } from './build-solid.ts';
import { encodeGlb } from './encode-glb.ts';
import { encodeObj } from './encode-obj.ts';
import { encodeStl } from './encode-stl.ts';
import { faceNormal, type Mesh, type Point, pointAt } from './mesh.ts';

const solids = new Map(
  Array.from({ length: 40 }, (_, seed) => buildSolid(`${seed}`)).map((mesh) => [mesh.indices.length / 3, mesh]),
);

function triangles({ positions, indices }: Mesh): Array<[Point, Point, Point]> {
  return Array.from({ length: indices.length / 3 }, (_, at) => [
    pointAt(positions, indices[3 * at]!),
    pointAt(positions, indices[3 * at + 1]!),
    pointAt(positions, indices[3 * at + 2]!),
  ]);
}

test('seeds choose between several shapes', () => {
  expect(solids.size).toBeGreaterThanOrEqual(3);
  expect(solids.has(20)).toBe(true);
});

test.each([...solids])('the solid of %i triangles is closed, and every face and normal looks outwards', (_, mesh) => {
  const edges = new Map<string, number>();
  const name = (point: Point): string => point.map((value) => Math.round(value * 1e4)).join();
  let volume = 0;
  for (const [face, [a, b, c]] of triangles(mesh).entries()) {
    for (const [from, to] of [
      [a, b],
      [b, c],
      [c, a],
    ] as const) {
      const [out, back] = [`${name(from)}>${name(to)}`, `${name(to)}>${name(from)}`];
      if (edges.get(back) === 1) edges.delete(back);
      else edges.set(out, (edges.get(out) ?? 0) + 1);
    }
    volume +=
      (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
      6;
    const flat = faceNormal([a, b, c]);
    for (const corner of [0, 1, 2]) {
      const normal = pointAt(mesh.normals, mesh.indices[3 * face + corner]!);
      expect(Math.hypot(...normal)).toBeCloseTo(1, 4);
      expect(normal[0] * flat[0] + normal[1] * flat[1] + normal[2] * flat[2]).toBeGreaterThan(0.9);
    }
  }
  expect(edges.size).toBe(0);
  expect(volume).toBeGreaterThan(0.1);
});

test.each([...solids])('the solid of %i triangles is the same in all three formats', (count, mesh) => {
  const glb = encodeGlb(mesh, { colour: '#ff8000' });
  expect(glb.readUInt32LE(8)).toBe(glb.length);
  const jsonBytes = glb.readUInt32LE(12);
  const document = JSON.parse(glb.toString('utf8', 20, 20 + jsonBytes));
  expect(glb.readUInt32LE(20 + jsonBytes)).toBe(document.buffers[0].byteLength);
  expect(document.accessors[2].count).toBe(3 * count);
  const { byteOffset, byteLength } = document.bufferViews[0];
  const start = 28 + jsonBytes + byteOffset;
  expect(glb.subarray(start, start + byteLength)).toEqual(Buffer.from(mesh.positions.buffer));
  expect(document.materials[0].pbrMetallicRoughness.baseColorFactor[0]).toBe(1);

  const stl = encodeStl(mesh);
  expect(stl.readUInt32LE(80)).toBe(count);
  expect(stl).toHaveLength(84 + 50 * count);
  expect(stl.readFloatLE(84 + 12)).toBeCloseTo(triangles(mesh)[0]![0][0], 5);

  const lines = encodeObj(mesh).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('f '))).toHaveLength(count);
  expect(lines.filter((line) => line.startsWith('v '))).toHaveLength(mesh.positions.length / 3);
  expect(lines.join('\n')).not.toMatch(/NaN|e-/u);
});
