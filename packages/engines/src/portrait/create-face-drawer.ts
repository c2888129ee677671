import type { Picture } from '../image/picture.ts';
import { type FaceMesh, facePoints, faceRings, type Point } from './face-mesh.ts';
import type { MouthShape } from './mouth-shapes.ts';
import { frameFace, moveMesh } from './move-mesh.ts';
import { paintMouth, readMouthEdges } from './paint-mouth.ts';
import { type Triangle, triangulatePoints } from './triangulate-points.ts';

/** Small faces are drawn at a higher resolution and averaged, for smooth edges of lips and lids. */
const FINE_BELOW_PX = 160;
const OPENED: MouthShape = { gap: 0.3, width: 1, rest: 0 };

/** Draws the portrait with a new mouth shape and eyelid position, frame by frame. */
export function createFaceDrawer(
  picture: Picture,
  mesh: FaceMesh,
): (to: { mouth: MouthShape; blink: number }) => Buffer {
  const { width, height } = picture;
  const face = frameFace(mesh);
  const start = face.points.map(face.toPicture);
  const before = readMouthEdges(face.points);
  const light = skinLight(picture, mesh);
  // Triangulated with an open mouth, where no triangle joins the lips.
  const opened = moveMesh(face, { mouth: OPENED, blink: 0 });
  const all = triangulatePoints(opened);
  const lips = faceRings.innerLips.map((index) => opened[index]!);
  const isHole = (corners: Triangle) => contains(lips, middleOf(corners.map((corner) => opened[corner]!)));
  const [holes, skin] = [all.filter(isHole), all.filter((corners) => !isHole(corners))];
  // Drawing blurs slightly. Moving parts are drawn in every frame, so that pauses do not look sharper.
  const reach = opened.map(face.toPicture);
  const speaks = new Set(skin.filter((corners) => corners.some((corner) => !same(start[corner]!, reach[corner]!))));

  const fine = mesh.eyeSpan < FINE_BELOW_PX ? 2 : 1;
  const [left, top] = [
    bound(Math.min(...start.map(({ x }) => x)), width),
    bound(Math.min(...start.map(({ y }) => y)), height),
  ];
  const [right, bottom] = [
    bound(Math.max(...start.map(({ x }) => x)) + 1, width),
    bound(Math.max(...start.map(({ y }) => y)) + 1, height),
  ];
  const [across, down] = [(right - left) * fine, (bottom - top) * fine];
  const toFine = ({ x, y }: Point): Point => ({ x: (x - left) * fine, y: (y - top) * fine });
  const fromFine = (x: number, y: number): Point => ({ x: left + (x + 0.5) / fine, y: top + (y + 0.5) / fine });
  const untouched = new Float32Array(across * down * 3);
  const sample: [number, number, number] = [0, 0, 0];
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      lookAt(picture, fromFine(x, y), sample);
      untouched.set(sample, (y * across + x) * 3);
    }
  }
  const look = (at: Point) => {
    const seen: [number, number, number] = [0, 0, 0];
    lookAt(picture, face.toPicture(at), seen);
    return seen;
  };

  return (to) => {
    const moved = moveMesh(face, to);
    const now = readMouthEdges(moved);
    const ends = moved.map(face.toPicture);
    const region = Float32Array.from(untouched);
    const touched = new Uint8Array(across * down);
    const size = { across, down };
    for (const corners of holes) {
      fillTriangle(
        corners.map((corner) => toFine(ends[corner]!)),
        size,
        (x, y) => {
          const colour = paintMouth({ at: face.toFace(fromFine(x, y)), now, before, look, light });
          region.set(colour, (y * across + x) * 3);
          touched[y * across + x] = 1;
        },
      );
    }
    for (const corners of skin) {
      const [a, b, c] = corners.map((corner) => start[corner]!) as [Point, Point, Point];
      if (!speaks.has(corners) && corners.every((corner) => same(start[corner]!, ends[corner]!))) continue;
      fillTriangle(
        corners.map((corner) => toFine(ends[corner]!)),
        size,
        (x, y, u, v) => {
          lookAt(
            picture,
            { x: a.x + (b.x - a.x) * u + (c.x - a.x) * v, y: a.y + (b.y - a.y) * u + (c.y - a.y) * v },
            sample,
          );
          region.set(sample, (y * across + x) * 3);
          touched[y * across + x] = 1;
        },
      );
    }
    return compose({ picture, region, touched, left, top, across, down, fine });
  };
}

/** Visits every point of a triangle with its place between the corners. */
function fillTriangle(
  corners: readonly Point[],
  size: { across: number; down: number },
  visit: (x: number, y: number, u: number, v: number) => void,
): void {
  const [a, b, c] = corners as [Point, Point, Point];
  const area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (Math.abs(area) < 1e-6) return;
  const slack = 1e-4;
  const [fromY, toY] = [
    Math.max(0, Math.floor(Math.min(a.y, b.y, c.y) - 0.5)),
    Math.min(size.down - 1, Math.ceil(Math.max(a.y, b.y, c.y))),
  ];
  const [fromX, toX] = [
    Math.max(0, Math.floor(Math.min(a.x, b.x, c.x) - 0.5)),
    Math.min(size.across - 1, Math.ceil(Math.max(a.x, b.x, c.x))),
  ];
  for (let y = fromY; y <= toY; y++) {
    for (let x = fromX; x <= toX; x++) {
      const [px, py] = [x + 0.5 - a.x, y + 0.5 - a.y];
      const u = (px * (c.y - a.y) - (c.x - a.x) * py) / area;
      const v = ((b.x - a.x) * py - px * (b.y - a.y)) / area;
      if (u >= -slack && v >= -slack && u + v <= 1 + slack) visit(x, y, u, v);
    }
  }
}

/** Copies the drawn part back into the image; other pixels stay unchanged. */
function compose(options: {
  picture: Picture;
  region: Float32Array;
  touched: Uint8Array;
  left: number;
  top: number;
  across: number;
  down: number;
  fine: number;
}): Buffer {
  const { picture, region, touched, left, top, across, down, fine } = options;
  const frame = Buffer.from(picture.rgb);
  const share = 1 / (fine * fine);
  for (let y = 0; y < down / fine; y++) {
    for (let x = 0; x < across / fine; x++) {
      const cells = Array.from({ length: fine * fine }, (_, part) => {
        return (y * fine + Math.floor(part / fine)) * across + x * fine + (part % fine);
      });
      if (!cells.some((cell) => touched[cell] === 1)) continue;
      const to = ((top + y) * picture.width + left + x) * 3;
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        for (const cell of cells) sum += region[cell * 3 + channel]!;
        frame[to + channel] = Math.round(sum * share);
      }
    }
  }
  return frame;
}

function lookAt({ rgb, width, height }: Picture, { x, y }: Point, into: [number, number, number]): void {
  const [fx, fy] = [Math.min(width - 1, Math.max(0, x - 0.5)), Math.min(height - 1, Math.max(0, y - 0.5))];
  const [x0, y0] = [Math.min(width - 2, Math.floor(fx)), Math.min(height - 2, Math.floor(fy))];
  const [right, down] = [fx - x0, fy - y0];
  const at = (y0 * width + x0) * 3;
  for (let c = 0; c < 3; c++) {
    const above = rgb[at + c]! * (1 - right) + rgb[at + 3 + c]! * right;
    const below = rgb[at + width * 3 + c]! * (1 - right) + rgb[at + width * 3 + 3 + c]! * right;
    into[c] = above * (1 - down) + below * down;
  }
}

/** The brightness of cheeks and forehead determines the brightness of the teeth. */
function skinLight(picture: Picture, { points }: FaceMesh): number {
  const seen: [number, number, number] = [0, 0, 0];
  const lights = [50, 280, 151, facePoints.noseTip].map((index) => {
    lookAt(picture, points[index]!, seen);
    return (0.3 * seen[0] + 0.59 * seen[1] + 0.11 * seen[2]) / 255;
  });
  const mean = lights.reduce((sum, value) => sum + value, 0) / lights.length;
  return Math.min(1, 0.35 + 0.9 * mean);
}

function contains(ring: readonly Point[], { x, y }: Point): boolean {
  let inside = false;
  for (const [i, one] of ring.entries()) {
    const other = ring[(i + 1) % ring.length]!;
    if (one.y > y !== other.y > y && x < one.x + ((y - one.y) / (other.y - one.y)) * (other.x - one.x))
      inside = !inside;
  }
  return inside;
}

function middleOf(points: readonly Point[]): Point {
  return {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  };
}

function same(one: Point, other: Point): boolean {
  return Math.abs(one.x - other.x) < 1e-3 && Math.abs(one.y - other.y) < 1e-3;
}

function bound(value: number, most: number): number {
  return Math.min(most, Math.max(0, Math.floor(value)));
}
