import type { SolidModel } from '../solid-model.ts';

/** Points closer than this, with the model's length as 1, are the same point. */
const SAME_PLACE = 1e-5;

/** Counts edges that do not join exactly two faces of opposite direction: 0 for a closed body. */
export function countOpenEdges(model: SolidModel): number {
  let open = 0;
  for (const { positions, corners } of model.parts) {
    const places = new Map<string, number>();
    const placeOf = Array.from({ length: positions.length / 3 }, (_, point) => {
      const key = [0, 1, 2].map((axis) => Math.round(positions[point * 3 + axis]! / SAME_PLACE)).join();
      if (!places.has(key)) places.set(key, places.size);
      return places.get(key)!;
    });
    const edges = new Map<string, number>();
    for (let at = 0; at < corners.length; at += 3) {
      const face = [placeOf[corners[at]!]!, placeOf[corners[at + 1]!]!, placeOf[corners[at + 2]!]!];
      if (new Set(face).size < 3) continue;
      face.forEach((from, side) => {
        const to = face[(side + 1) % 3]!;
        const key = from < to ? `${from} ${to}` : `${to} ${from}`;
        edges.set(key, (edges.get(key) ?? 0) + (from < to ? 1 : -1));
      });
    }
    for (const balance of edges.values()) if (balance !== 0) open += 1;
  }
  return open;
}
