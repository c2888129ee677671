import { writeFile } from 'node:fs/promises';
import type { SolidModel } from './solid-model.ts';

/** STL has no unit; printers assume millimetres. The longest side gets this length. */
const MILLIMETRES = 100;
const HEADER_BYTES = 84;
const FACE_BYTES = 50;

/** A binary STL file in printer orientation: z points up. */
export async function writeStl(model: SolidModel, path: string): Promise<void> {
  const faces = model.parts.reduce((sum, { corners }) => sum + corners.length / 3, 0);
  const file = Buffer.alloc(HEADER_BYTES + faces * FACE_BYTES);
  file.write('Atelier, millimetres', 0, 'latin1');
  file.writeUInt32LE(faces, 80);
  let at = HEADER_BYTES;
  for (const { positions, corners } of model.parts) {
    for (let corner = 0; corner < corners.length; corner += 3) {
      const points = [0, 1, 2].map((each) => {
        const from = corners[corner + each]! * 3;
        return [
          positions[from]! * MILLIMETRES,
          -positions[from + 2]! * MILLIMETRES,
          positions[from + 1]! * MILLIMETRES,
        ] as const;
      });
      const [a, b, c] = points as [Point, Point, Point];
      for (const vector of [normalOf(a, b, c), a, b, c]) {
        for (const value of vector) at = file.writeFloatLE(value, at);
      }
      at += 2;
    }
  }
  await writeFile(path, file);
}

type Point = readonly [number, number, number];

function normalOf(a: Point, b: Point, c: Point): Point {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const long = Math.hypot(x, y, z) || 1;
  return [x / long, y / long, z / long];
}
