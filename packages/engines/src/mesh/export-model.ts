import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DownloadFormat, EngineOutput } from '../engine.ts';
import { runProgram } from '../run-program.ts';
import type { SolidModel, Texture } from './solid-model.ts';
import { writeGlb } from './write-glb.ts';
import { writeUsdz } from './write-usdz.ts';

/** A single Wavefront OBJ file: without a material file, colours are stored per vertex, which most programs support. */
export async function writeObj(model: SolidModel, path: string): Promise<void> {
  const lines = ['# Atelier'];
  let first = 1;
  let firstTexturePoint = 1;
  model.parts.forEach(({ positions, normals, corners, colour, texturePoints }, part) => {
    lines.push(`o part-${part + 1}`);
    for (let at = 0; at < positions.length; at += 3) {
      const own = texturePoints && model.texture ? colourAt(model.texture, texturePoints, at / 3) : colour;
      lines.push(`v ${numbers([positions[at]!, positions[at + 1]!, positions[at + 2]!])} ${numbers(own)}`);
    }
    for (let at = 0; at < normals.length; at += 3) {
      lines.push(`vn ${numbers([normals[at]!, normals[at + 1]!, normals[at + 2]!])}`);
    }
    for (let at = 0; at < (texturePoints?.length ?? 0); at += 2) {
      lines.push(`vt ${numbers([texturePoints![at]!, 1 - texturePoints![at + 1]!])}`);
    }
    const corner = (at: number) => {
      const texturePoint = texturePoints ? corners[at]! + firstTexturePoint : '';
      return `${corners[at]! + first}/${texturePoint}/${corners[at]! + first}`;
    };
    for (let at = 0; at < corners.length; at += 3) lines.push(`f ${corner(at)} ${corner(at + 1)} ${corner(at + 2)}`);
    first += positions.length / 3;
    firstTexturePoint += (texturePoints?.length ?? 0) / 2;
  });
  await writeFile(path, `${lines.join('\n')}\n`);
}

function numbers(values: readonly number[]): string {
  return values.map((value) => Number(value.toFixed(5))).join(' ');
}

function colourAt({ rgb, width, height }: Texture, points: Float32Array, point: number): number[] {
  const column = Math.min(width - 1, Math.floor(points[point * 2]! * width));
  const row = Math.min(height - 1, Math.floor(points[point * 2 + 1]! * height));
  const at = (row * width + column) * 3;
  return [rgb[at]! / 255, rgb[at + 1]! / 255, rgb[at + 2]! / 255];
}

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

/** Writes the model as GLB, OBJ, STL, USDZ and FBX. */
export async function exportModel(
  model: SolidModel,
  options: { dir: string; name: string; assimpPath: string },
): Promise<EngineOutput> {
  const { dir, name } = options;
  const pathOf = (format: string) => join(dir, `${name}.${format}`);
  await writeGlb(model, pathOf('glb'));
  await writeObj(model, pathOf('obj'));
  await writeStl(model, pathOf('stl'));
  await writeUsdz(model, pathOf('usdz'));
  // FBX stores display colours, and the converter copies values unchanged.
  await writeGlb(model, pathOf('display.glb'), { colours: 'display' });
  await runProgram({ path: options.assimpPath, args: ['export', `${name}.display.glb`, `${name}.fbx`], cwd: dir });
  const formats: DownloadFormat[] = ['obj', 'fbx', 'usdz', 'stl'];
  return { path: pathOf('glb'), downloads: formats.map((format) => ({ format, path: pathOf(format) })) };
}
