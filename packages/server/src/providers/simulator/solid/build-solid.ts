import { randomStream } from '../render-request.ts';
import { faceNormal, type Mesh, type Point } from './mesh.ts';

const GOLDEN = (1 + Math.sqrt(5)) / 2;
const RING_STEPS = 32;
const TUBE_STEPS = 16;

/** One of three shapes, chosen by the seed. */
export function buildSolid(seed: string): Mesh {
  const random = randomStream(seed);
  const shape = Math.floor(random() * 3);
  if (shape === 0) return buildTorus({ ringRadius: 0.7, tubeRadius: 0.2 + 0.1 * random() });
  return shape === 1 ? buildIcosahedron() : buildGem({ sides: 5 + Math.floor(random() * 4) });
}

function buildTorus({ ringRadius, tubeRadius }: { ringRadius: number; tubeRadius: number }): Mesh {
  const positions: number[] = [];
  const normals: number[] = [];
  const indices: number[] = [];
  for (let ring = 0; ring < RING_STEPS; ring++) {
    const turn = (2 * Math.PI * ring) / RING_STEPS;
    for (let tube = 0; tube < TUBE_STEPS; tube++) {
      const roll = (2 * Math.PI * tube) / TUBE_STEPS;
      const normal = [Math.cos(roll) * Math.cos(turn), Math.sin(roll), Math.cos(roll) * Math.sin(turn)] as const;
      const centre = [ringRadius * Math.cos(turn), 0, ringRadius * Math.sin(turn)] as const;
      normals.push(...normal);
      positions.push(...centre.map((value, axis) => value + tubeRadius * (normal[axis] ?? 0)));
      const here = ring * TUBE_STEPS + tube;
      const up = ring * TUBE_STEPS + ((tube + 1) % TUBE_STEPS);
      const next = ((ring + 1) % RING_STEPS) * TUBE_STEPS;
      const across = next + tube;
      const acrossUp = next + ((tube + 1) % TUBE_STEPS);
      indices.push(here, up, across, up, acrossUp, across);
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    indices: Uint16Array.from(indices),
  };
}

function buildIcosahedron(): Mesh {
  const corners: Point[] = [];
  for (const one of [-1, 1]) {
    for (const long of [-GOLDEN, GOLDEN]) corners.push([0, one, long], [one, long, 0], [long, 0, one]);
  }
  const radius = Math.hypot(1, GOLDEN);
  const unit = corners.map(([x, y, z]): Point => [x / radius, y / radius, z / radius]);
  const edge = 2 / radius;
  const near = (a: Point, b: Point): boolean => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < edge * 1.01;
  const faces: Array<[Point, Point, Point]> = [];
  unit.forEach((a, first) => {
    unit.slice(first + 1).forEach((b, offset) => {
      for (const c of unit.slice(first + offset + 2)) if (near(a, b) && near(b, c) && near(a, c)) faces.push([a, b, c]);
    });
  });
  return facet(faces);
}

/** Cut like a stone: a flat top, a girdle and a point below. */
function buildGem({ sides }: { sides: number }): Mesh {
  const corner = (radius: number, y: number, turn: number): Point => {
    const angle = (2 * Math.PI * turn) / sides;
    return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
  };
  const top: Point = [0, 0.55, 0];
  const tip: Point = [0, -0.95, 0];
  const faces: Array<[Point, Point, Point]> = [];
  for (let side = 0; side < sides; side++) {
    const table = corner(0.5, 0.55, side);
    const nextTable = corner(0.5, 0.55, side + 1);
    const girdle = corner(0.85, 0.15, side + 0.5);
    const lastGirdle = corner(0.85, 0.15, side - 0.5);
    faces.push(
      [top, table, nextTable],
      [table, nextTable, girdle],
      [lastGirdle, table, girdle],
      [lastGirdle, girdle, tip],
    );
  }
  return facet(faces);
}

/** Flat-shaded faces of a solid around the origin, each turned outwards. */
function facet(faces: ReadonlyArray<readonly [Point, Point, Point]>): Mesh {
  const positions: number[] = [];
  const normals: number[] = [];
  for (const [a, b, c] of faces) {
    const normal = faceNormal([a, b, c]);
    const outward = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2] >= 0;
    const corners = outward ? [a, b, c] : [a, c, b];
    for (const corner of corners) {
      positions.push(...corner);
      normals.push(...normal.map((value) => (outward ? value : -value)));
    }
  }
  const indices = Uint16Array.from({ length: positions.length / 3 }, (_, index) => index);
  return { positions: Float32Array.from(positions), normals: Float32Array.from(normals), indices };
}
