import { faceNormal, type Mesh, pointAt } from './mesh.ts';

const HEADER_BYTES = 80;
const TRIANGLE_BYTES = 50;

/** Binary STL. */
export function encodeStl({ positions, indices }: Mesh): Buffer {
  const triangles = indices.length / 3;
  const file = Buffer.alloc(HEADER_BYTES + 4 + triangles * TRIANGLE_BYTES);
  file.write('Simulated solid', 0, 'latin1');
  file.writeUInt32LE(triangles, HEADER_BYTES);
  for (let triangle = 0; triangle < triangles; triangle++) {
    const corner = (offset: 0 | 1 | 2) => pointAt(positions, indices[3 * triangle + offset] ?? 0);
    const corners = [corner(0), corner(1), corner(2)] as const;
    let at = HEADER_BYTES + 4 + triangle * TRIANGLE_BYTES;
    for (const value of [faceNormal(corners), ...corners].flat()) at = file.writeFloatLE(value, at);
  }
  return file;
}
