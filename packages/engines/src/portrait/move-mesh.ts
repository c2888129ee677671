import { type FaceMesh, facePoints, faceRings, type Point } from './face-mesh.ts';
import type { MouthShape } from './mouth-shapes.ts';

/** Rows of the lips from the outside in, each from left to right without the corners. */
const UPPER_ROWS = [
  [185, 40, 39, 37, 0, 267, 269, 270, 409],
  [184, 74, 73, 72, 11, 302, 303, 304, 408],
  [183, 42, 41, 38, 12, 268, 271, 272, 407],
  [191, 80, 81, 82, 13, 312, 311, 310, 415],
];
const LOWER_ROWS = [
  [146, 91, 181, 84, 17, 314, 405, 321, 375],
  [77, 90, 180, 85, 16, 315, 404, 320, 307],
  [96, 89, 179, 86, 15, 316, 403, 319, 325],
  [95, 88, 178, 87, 14, 317, 402, 318, 324],
];
const [LEFT_CORNER, RIGHT_CORNER] = [78, 308];
/** The jaw takes most of a wider gap, the upper lip the rest. */
const UPPER_SHARE = 0.18;
/** The chin follows the lower lip, a little less. */
const CHIN_SHARE = 0.8;
/** Fixed points outside the face, so that the movement fades out over neck and hair. */
const RING = 1.5;
const EYES = [
  { upper: [246, 161, 160, 159, 158, 157, 173], lower: [7, 163, 144, 145, 153, 154, 155], corners: [33, 133] },
  { upper: [466, 388, 387, 386, 385, 384, 398], lower: [249, 390, 373, 374, 380, 381, 382], corners: [263, 362] },
] as const;
const CLOSED = 0.92;

/** Face coordinates: upright, with the middle of the mouth at 0 and the distance of the eyes as 1. */
interface FaceFrame {
  readonly points: readonly Point[];
  toPicture(at: Point): Point;
  toFace(at: Point): Point;
}

export function frameFace(mesh: FaceMesh): FaceFrame {
  const { points, eyeSpan } = mesh;
  const [eye, other] = [points[facePoints.leftEyeCorner]!, points[facePoints.rightEyeCorner]!];
  const [left, right] = [points[LEFT_CORNER]!, points[RIGHT_CORNER]!];
  const middle = { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
  const [cos, sin] = [(other.x - eye.x) / eyeSpan, (other.y - eye.y) / eyeSpan];
  const toFace = ({ x, y }: Point): Point => {
    const [dx, dy] = [(x - middle.x) / eyeSpan, (y - middle.y) / eyeSpan];
    return { x: dx * cos + dy * sin, y: dy * cos - dx * sin };
  };
  const toPicture = ({ x, y }: Point): Point => ({
    x: middle.x + (x * cos - y * sin) * eyeSpan,
    y: middle.y + (x * sin + y * cos) * eyeSpan,
  });
  const outline = faceRings.outline.map((index) => points[index]!);
  const heart = {
    x: outline.reduce((sum, { x }) => sum + x, 0) / outline.length,
    y: outline.reduce((sum, { y }) => sum + y, 0) / outline.length,
  };
  const ring = outline.map(({ x, y }) => ({ x: heart.x + (x - heart.x) * RING, y: heart.y + (y - heart.y) * RING }));
  return { points: [...points, ...ring].map(toFace), toPicture, toFace };
}

/** The position of every point for a mouth shape and eye closure, in face coordinates. */
export function moveMesh({ points }: FaceFrame, to: { mouth: MouthShape; blink: number }): Point[] {
  const { gap, width, rest } = to.mouth;
  const half = (points[RIGHT_CORNER]!.x - points[LEFT_CORNER]!.x) / 2;
  const upperInner = UPPER_ROWS.at(-1)!;
  const lowerInner = LOWER_ROWS.at(-1)!;
  const wider = upperInner.map((upper, column) => {
    const has = Math.max(0, points[lowerInner[column]!]!.y - points[upper]!.y);
    const along = Math.min(1, Math.abs(points[upper]!.x) / half);
    const wanted = gap * Math.max(0, 1 - along * along) ** 0.85;
    return (wanted - has) * (1 - rest);
  });
  const most = wider[4]!;
  const moved = points.map(({ x, y }, index) => {
    if (index >= points.length - faceRings.outline.length) return { x, y };
    const fade = Math.exp(-((y / 0.42) ** 2)) * Math.exp(-((Math.max(0, Math.abs(x) - half) / 0.28) ** 2));
    const below = smoothstep(y / 0.24) * Math.exp(-1.2 * (x / 0.7) ** 2) * CHIN_SHARE * (1 - UPPER_SHARE);
    const above = y < 0 ? Math.max(0, 1 + y / 0.3) * Math.exp(-((x / 0.5) ** 2)) * UPPER_SHARE * 0.6 : 0;
    return { x: x + (width - 1) * x * fade, y: y + most * (y > 0 ? below : -above) };
  });
  const shift = (rows: readonly (readonly number[])[], share: number) => {
    for (const row of rows) {
      for (const [column, index] of row.entries()) {
        moved[index] = { x: moved[index]!.x, y: points[index]!.y + wider[column]! * share };
      }
    }
  };
  shift(UPPER_ROWS, -UPPER_SHARE);
  shift(LOWER_ROWS, 1 - UPPER_SHARE);
  if (to.blink > 0) closeEyes(moved, points, to.blink);
  return moved;
}

function closeEyes(moved: Point[], points: readonly Point[], blink: number): void {
  for (const { upper, lower, corners } of EYES) {
    const [one, other] = [points[corners[0]]!.x, points[corners[1]]!.x];
    const [middle, half] = [(one + other) / 2, Math.abs(one - other) / 2];
    const open = Math.max(...upper.map((index, column) => points[lower[column]!]!.y - points[index]!.y));
    const lid = Math.min(...upper.map((index) => points[index]!.y));
    for (const [column, index] of upper.entries()) {
      const drop = (points[lower[column]!]!.y - points[index]!.y) * CLOSED * blink;
      moved[index] = { x: moved[index]!.x, y: moved[index]!.y + Math.max(0, drop) };
    }
    // The skin between lid and brow follows, less towards the brow.
    for (const [index, { x, y }] of points.entries()) {
      const across = (x - middle) / (1.25 * half);
      const height = (lid - y) / (1.3 * open);
      if (Math.abs(across) >= 1 || height <= 0 || height >= 1) continue;
      moved[index] = {
        x: moved[index]!.x,
        y: moved[index]!.y + open * CLOSED * blink * (1 - across ** 2) * (1 - height) * 0.6,
      };
    }
  }
}

function smoothstep(part: number): number {
  const t = Math.min(1, Math.max(0, part));
  return t * t * (3 - 2 * t);
}
