import type { Contour, FlatShape } from '../mesh/solid-model.ts';

export type FillRule = 'nonzero' | 'evenodd';

/** Points closer than this, relative to the image's side, are merged; flatter corners are removed. */
const SAME_POINT = 1e-3;
const FLAT_CORNER = 1e-4;

/** Groups outlines into bodies and their holes. `size` is the side of the image. */
export function groupContours(contours: readonly Contour[], fillRule: FillRule, size: number): FlatShape[] {
  const clean = contours.map((contour) => cleanContour(contour, size)).filter((contour) => contour.length >= 6);
  const bodies: Array<{ outline: Contour; area: number; holes: Contour[] }> = [];
  const holes: Contour[] = [];
  for (const contour of clean) {
    const around = clean.filter((other) => other !== contour && holds(other, contour));
    const outside = fillRule === 'evenodd' ? around.length % 2 : sum(around.map(direction));
    const inside = fillRule === 'evenodd' ? (around.length + 1) % 2 : outside + direction(contour);
    if (outside === 0 && inside !== 0)
      bodies.push({ outline: contour, area: Math.abs(signedArea(contour)), holes: [] });
    else if (outside !== 0 && inside === 0) holes.push(contour);
  }
  const smallestFirst = [...bodies].sort((a, b) => a.area - b.area);
  for (const hole of holes) smallestFirst.find((body) => holds(body.outline, hole))?.holes.push(hole);
  return bodies.map(({ outline, holes: own }) => ({ outline, holes: own }));
}

/** Twice the area, positive when the points run anticlockwise in axes that point right and up. */
export function signedArea(contour: Contour): number {
  let area = 0;
  for (let at = 0; at < contour.length; at += 2) {
    const next = (at + 2) % contour.length;
    area += contour[at]! * contour[next + 1]! - contour[next]! * contour[at + 1]!;
  }
  return area;
}

/** Redundant points would make the caps and walls of an extrusion use different edges. */
function cleanContour(contour: Contour, size: number): Contour {
  let points = contour;
  for (let before = -1; before !== points.length && points.length >= 6; ) {
    before = points.length;
    const kept: number[] = [];
    for (let at = 0; at < points.length; at += 2) {
      const [x, y] = [points[at]!, points[at + 1]!];
      const [lastX, lastY] =
        kept.length > 0
          ? [kept[kept.length - 2]!, kept[kept.length - 1]!]
          : [points[points.length - 2]!, points[points.length - 1]!];
      const next = (at + 2) % points.length;
      const [toX, toY] = [x - lastX, y - lastY];
      const [onX, onY] = [points[next]! - x, points[next + 1]! - y];
      const long = Math.hypot(toX, toY);
      if (long < SAME_POINT * size) continue;
      const turn = Math.abs(toX * onY - toY * onX) / (long * (Math.hypot(onX, onY) || 1));
      if (turn < FLAT_CORNER) continue;
      kept.push(x, y);
    }
    points = kept;
  }
  return points;
}

function direction(contour: Contour): number {
  return Math.sign(signedArea(contour));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Decided by the majority of the inner outline's points, because outlines may touch. */
function holds(outer: Contour, inner: Contour): boolean {
  if (Math.abs(signedArea(outer)) <= Math.abs(signedArea(inner))) return false;
  let votes = 0;
  for (let at = 0; at < inner.length; at += 2) votes += containsPoint(outer, inner[at]!, inner[at + 1]!) ? 1 : -1;
  return votes > 0;
}

export function containsPoint(contour: Contour, x: number, y: number): boolean {
  let inside = false;
  for (let at = 0, last = contour.length - 2; at < contour.length; last = at, at += 2) {
    const [ax, ay, bx, by] = [contour[at]!, contour[at + 1]!, contour[last]!, contour[last + 1]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}
