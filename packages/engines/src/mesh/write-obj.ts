import { writeFile } from 'node:fs/promises';
import type { SolidModel, Texture } from './solid-model.ts';

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
