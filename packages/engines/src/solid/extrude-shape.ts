import { ShapeUtils, Vector2 } from 'three';
import type { Contour, FlatShape } from '../mesh/solid-model.ts';
import { signedArea } from './contours.ts';

/** The maximum inset of a rim, relative to the distance to the opposite side. */
const SHARE = 0.42;
/** How fast the inset may grow from one point to the next, per distance. */
const SLOPE = 0.5;

/** How far each point can move along its mitre before it meets the opposite side. */
export function roomInside(points: Contour, mitres: Float64Array, all: readonly Contour[]): Float64Array {
  const count = points.length / 2;
  const room = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const [x, y, dx, dy] = [points[at * 2]!, points[at * 2 + 1]!, mitres[at * 2]!, mitres[at * 2 + 1]!];
    let nearest = Number.POSITIVE_INFINITY;
    for (const contour of all) {
      for (let from = 0, last = contour.length - 2; from < contour.length; last = from, from += 2) {
        const [ax, ay, bx, by] = [contour[last]!, contour[last + 1]!, contour[from]!, contour[from + 1]!];
        if ((ax === x && ay === y) || (bx === x && by === y)) continue;
        const [ex, ey] = [bx - ax, by - ay];
        const cross = dx * ey - dy * ex;
        if (cross === 0) continue;
        const along = ((ax - x) * ey - (ay - y) * ex) / cross;
        const across = ((ax - x) * dy - (ay - y) * dx) / cross;
        if (along > 0 && across >= 0 && across <= 1 && along < nearest) nearest = along;
      }
    }
    room[at] = nearest * SHARE;
  }
  for (const step of [1, -1]) {
    for (let turn = 0; turn < 2 * count; turn++) {
      const at = (((step * turn) % count) + count) % count;
      const next = (at + step + count) % count;
      const far = Math.hypot(points[next * 2]! - points[at * 2]!, points[next * 2 + 1]! - points[at * 2 + 1]!);
      room[next] = Math.min(room[next]!, room[at]! + far * SLOPE);
    }
  }
  return room;
}

/** Corners sharper than this stay edges; rounder ones are shaded smooth. */
const SMOOTH_COSINE = Math.cos(0.7);
/** Sharp tips move in by no more than this many times the bevel. */
const MAX_MITRE = 1.6;
/** How far triangulation may shift points, relative to the shape, so that no three are collinear. */
const JITTER = 2e-5;
const JITTER_TRIES = 6;

export interface Extruded {
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  readonly corners: Uint32Array;
}

interface Ring {
  readonly points: Contour;
  readonly count: number;
  /** Unit normals of the edges that start at each point, away from the body. */
  readonly edges: Float64Array;
  /** The offset of each point for an inset of 1. */
  readonly mitres: Float64Array;
  readonly room: Float64Array;
}

/** A closed body around z = 0 with rounded rims, no wider than its outline less `inset`. */
export function extrudeShape(
  shape: FlatShape,
  options: { thickness: number; bevel: number; inset: number; bevelSteps: number },
): Extruded {
  const contours = [wind(shape.outline, 1), ...shape.holes.map((hole) => wind(hole, -1))];
  const rings = contours.map((points) => openRing(points, contours));
  const profile = makeProfile(options);
  const body = { positions: [] as number[], normals: [] as number[], corners: [] as number[] };
  for (const ring of rings) addWalls(body, ring, profile);
  const faces = triangulate(contours);
  for (const side of [1, -1]) {
    const first = body.positions.length / 3;
    const { depth, z } = profile[side === 1 ? 0 : profile.length - 1]!;
    for (const ring of rings) {
      for (let at = 0; at < ring.count; at++) {
        body.positions.push(...placeOf(ring, at, depth), z);
        body.normals.push(0, 0, side);
      }
    }
    for (const [a, b, c] of faces) {
      if (side === 1) body.corners.push(first + a, first + b, first + c);
      else body.corners.push(first + a, first + c, first + b);
    }
  }
  return {
    positions: Float32Array.from(body.positions),
    normals: Float32Array.from(body.normals),
    corners: Uint32Array.from(body.corners),
  };
}

/** The profile from the front rim over the wall to the back rim: inset, height and normal. */
function makeProfile(options: { thickness: number; bevel: number; inset: number; bevelSteps: number }) {
  const bevel = Math.min(options.bevel, options.thickness * 0.45);
  const half = options.thickness / 2;
  const front = Array.from({ length: options.bevelSteps + 1 }, (_, step) => {
    const angle = (step / options.bevelSteps) * (Math.PI / 2);
    return {
      depth: options.inset + bevel * (1 - Math.sin(angle)),
      z: half - bevel * (1 - Math.cos(angle)),
      outward: Math.sin(angle),
      up: Math.cos(angle),
    };
  });
  return [...front, ...[...front].reverse().map((row) => ({ ...row, z: -row.z, up: -row.up }))];
}

function openRing(points: Contour, all: readonly Contour[]): Ring {
  const count = points.length / 2;
  const edges = new Float64Array(points.length);
  for (let at = 0; at < count; at++) {
    const next = ((at + 1) % count) * 2;
    const [dx, dy] = [points[next]! - points[at * 2]!, points[next + 1]! - points[at * 2 + 1]!];
    const long = Math.hypot(dx, dy) || 1;
    edges[at * 2] = dy / long;
    edges[at * 2 + 1] = -dx / long;
  }
  const mitres = new Float64Array(points.length);
  for (let at = 0; at < count; at++) {
    const last = ((at + count - 1) % count) * 2;
    const [x, y] = [edges[last]! + edges[at * 2]!, edges[last + 1]! + edges[at * 2 + 1]!];
    const stretch = 2 / (x * x + y * y || 1);
    const capped = Math.min(stretch, MAX_MITRE / (Math.hypot(x, y) || 1));
    mitres[at * 2] = -x * capped;
    mitres[at * 2 + 1] = -y * capped;
  }
  return { points, count, edges, mitres, room: roomInside(points, mitres, all) };
}

function placeOf({ points, mitres, room }: Ring, at: number, depth: number): [number, number] {
  const far = Math.min(depth, room[at]!);
  return [points[at * 2]! + mitres[at * 2]! * far, points[at * 2 + 1]! + mitres[at * 2 + 1]! * far];
}

function addWalls(
  body: { positions: number[]; normals: number[]; corners: number[] },
  ring: Ring,
  profile: ReadonlyArray<{ depth: number; z: number; outward: number; up: number }>,
): void {
  const { count, edges } = ring;
  const addColumn = (at: number, x: number, y: number): number => {
    const first = body.positions.length / 3;
    const long = Math.hypot(x, y) || 1;
    for (const { depth, z, outward, up } of profile) {
      body.positions.push(...placeOf(ring, at, depth), z);
      body.normals.push((x / long) * outward, (y / long) * outward, up);
    }
    return first;
  };
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0; at < count; at++) {
    const last = (at + count - 1) % count;
    const [ax, ay, bx, by] = [edges[last * 2]!, edges[last * 2 + 1]!, edges[at * 2]!, edges[at * 2 + 1]!];
    if (ax * bx + ay * by > SMOOTH_COSINE) starts[at] = ends[last] = addColumn(at, ax + bx, ay + by);
    else {
      ends[last] = addColumn(at, ax, ay);
      starts[at] = addColumn(at, bx, by);
    }
  }
  for (let at = 0; at < count; at++) {
    const [left, right] = [starts[at]!, ends[at]!];
    for (let row = 0; row + 1 < profile.length; row++) {
      body.corners.push(left + row, left + row + 1, right + row, right + row, left + row + 1, right + row + 1);
    }
  }
}

function triangulate(contours: readonly Contour[]): Array<[number, number, number]> {
  const [outline = [], ...holes] = contours;
  const wanted = contours.reduce((sum, contour) => sum + contour.length / 2, 0) + 2 * holes.length - 2;
  const size = Math.sqrt(Math.abs(signedArea(outline)));
  let best: number[][] = [];
  for (let attempt = 0; attempt < JITTER_TRIES && best.length < wanted; attempt++) {
    let seed = 17 + attempt * 7919;
    const jitter = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return (seed / 2_147_483_647 - 0.5) * JITTER * size * 2 ** attempt;
    };
    const toPoints = (contour: Contour) =>
      Array.from(
        { length: contour.length / 2 },
        (_, at) => new Vector2(contour[at * 2]! + jitter(), contour[at * 2 + 1]! + jitter()),
      );
    const faces = ShapeUtils.triangulateShape(toPoints(outline), holes.map(toPoints));
    if (faces.length > best.length) best = faces;
  }
  return best.map(([a, b, c]) => [a!, b!, c!]);
}

function wind(contour: Contour, direction: 1 | -1): Contour {
  if (Math.sign(signedArea(contour)) === direction) return contour;
  const turned: number[] = [];
  for (let at = contour.length - 2; at >= 0; at -= 2) turned.push(contour[at]!, contour[at + 1]!);
  return turned;
}
