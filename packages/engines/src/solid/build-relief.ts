import type { SolidModel, Texture } from '../mesh/solid-model.ts';
import type { Field } from './inflate-matte.ts';

/** Minimum distance of rims from a node, relative to a cell, which avoids sliver triangles. */
const MIN_STEP = 0.12;

/**
 * A closed surface over the matte's shape: the front follows the height field, the back mirrors it, and both share the rim
 * along the matte's 50 % line. The image is the texture of both sides.
 */
export function buildRelief(options: { matte: Field; heights: Field; texture: Texture }): SolidModel {
  const { matte, heights } = options;
  const { values, width, height } = matte;
  const positions: number[] = [];
  const texturePoints: number[] = [];
  const front = new Map<number, number>();
  const back = new Map<number, number>();
  const rim = new Map<string, number>();
  const corners: number[] = [];

  const addPoint = (x: number, y: number, z: number): number => {
    positions.push(x, -y, z);
    texturePoints.push(x / (width - 1), y / (height - 1));
    return positions.length / 3 - 1;
  };
  const nodePoint = (node: number, side: 1 | -1): number => {
    const known = side === 1 ? front : back;
    if (!known.has(node))
      known.set(node, addPoint(node % width, Math.floor(node / width), side * heights.values[node]!));
    return known.get(node)!;
  };
  const rimPoint = (a: number, b: number): number => {
    const [low, high] = a < b ? [a, b] : [b, a];
    const key = `${low} ${high}`;
    if (!rim.has(key)) {
      const share = Math.min(1 - MIN_STEP, Math.max(MIN_STEP, (0.5 - values[low]!) / (values[high]! - values[low]!)));
      const at = (axis: (node: number) => number) => axis(low) + (axis(high) - axis(low)) * share;
      rim.set(
        key,
        addPoint(
          at((node) => node % width),
          at((node) => Math.floor(node / width)),
          0,
        ),
      );
    }
    return rim.get(key)!;
  };

  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const first = row * width + column;
      // Anticlockwise as seen from the front, where rows run downwards.
      const cell = [first, first + width, first + width + 1, first + 1];
      for (const polygon of cutCell(cell.map((node) => ({ node, inside: values[node]! > 0.5 })))) {
        for (const side of [1, -1] as const) {
          const points = polygon.map((corner) =>
            corner.length === 1 ? nodePoint(corner[0]!, side) : rimPoint(corner[0]!, corner[1]!),
          );
          for (let at = 1; at + 1 < points.length; at++) {
            if (side === 1) corners.push(points[0]!, points[at]!, points[at + 1]!);
            else corners.push(points[0]!, points[at + 1]!, points[at]!);
          }
        }
      }
    }
  }
  const skin = { positions: Float32Array.from(positions), corners: Uint32Array.from(corners) };
  return {
    parts: [
      {
        ...skin,
        normals: smoothNormals(skin),
        texturePoints: Float32Array.from(texturePoints),
        colour: [1, 1, 1],
        metallic: 0,
        roughness: 0.7,
      },
    ],
    texture: options.texture,
  };
}

/** The part of a cell inside the shape: a corner is one node, a point of the rim is the two nodes it lies between. */
function cutCell(cell: ReadonlyArray<{ node: number; inside: boolean }>): number[][][] {
  const around: Array<{ corner: number[]; node: boolean }> = [];
  cell.forEach(({ node, inside }, at) => {
    const next = cell[(at + 1) % cell.length]!;
    if (inside) around.push({ corner: [node], node: true });
    if (inside !== next.inside) around.push({ corner: [node, next.node], node: false });
  });
  if (around.length === 0) return [];
  const isSaddle =
    cell[0]!.inside === cell[2]!.inside && cell[1]!.inside === cell[3]!.inside && cell[0]!.inside !== cell[1]!.inside;
  if (!isSaddle) return [around.map(({ corner }) => corner)];
  // Two corners that only touch are cut off separately.
  return around.flatMap(({ node, corner }, at) =>
    node
      ? [[around[(at + around.length - 1) % around.length]!.corner, corner, around[(at + 1) % around.length]!.corner]]
      : [],
  );
}

function smoothNormals({ positions, corners }: { positions: Float32Array; corners: Uint32Array }): Float32Array {
  const normals = new Float32Array(positions.length);
  for (let at = 0; at < corners.length; at += 3) {
    const [a, b, c] = [corners[at]! * 3, corners[at + 1]! * 3, corners[at + 2]! * 3];
    const [ux, uy, uz] = [0, 1, 2].map((axis) => positions[b + axis]! - positions[a + axis]!) as [
      number,
      number,
      number,
    ];
    const [vx, vy, vz] = [0, 1, 2].map((axis) => positions[c + axis]! - positions[a + axis]!) as [
      number,
      number,
      number,
    ];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const point of [a, b, c]) for (let axis = 0; axis < 3; axis++) normals[point + axis]! += normal[axis]!;
  }
  for (let at = 0; at < normals.length; at += 3) {
    const long = Math.hypot(normals[at]!, normals[at + 1]!, normals[at + 2]!) || 1;
    for (let axis = 0; axis < 3; axis++) normals[at + axis]! /= long;
  }
  return normals;
}
