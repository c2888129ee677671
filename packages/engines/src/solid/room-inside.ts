import type { Contour } from '../mesh/solid-model.ts';

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
