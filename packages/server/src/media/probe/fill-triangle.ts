/**
 * Visits every pixel of a triangle with the weights of its three corners. Corners are offsets into projected points
 * (x, y, inverse depth). Weights are corrected for perspective.
 */
export function fillTriangle(
  points: Float32Array,
  [a, b, c]: readonly [number, number, number],
  side: number,
  paint: (pixel: number, near: number, weightA: number, weightB: number, weightC: number) => void,
): void {
  const [ax, ay, az] = [points[a]!, points[a + 1]!, points[a + 2]!];
  const [bx, by, bz] = [points[b]!, points[b + 1]!, points[b + 2]!];
  const [cx, cy, cz] = [points[c]!, points[c + 1]!, points[c + 2]!];
  const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  if (!(Math.abs(area) > 1e-9)) return;
  const left = Math.max(0, Math.floor(Math.min(ax, bx, cx)));
  const right = Math.min(side - 1, Math.ceil(Math.max(ax, bx, cx)));
  const top = Math.max(0, Math.floor(Math.min(ay, by, cy)));
  const bottom = Math.min(side - 1, Math.ceil(Math.max(ay, by, cy)));

  for (let y = top; y <= bottom; y++) {
    const py = y + 0.5;
    for (let x = left; x <= right; x++) {
      const px = x + 0.5;
      const wa = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area;
      const wb = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area;
      const wc = 1 - wa - wb;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      const near = wa * az + wb * bz + wc * cz;
      paint(y * side + x, near, (wa * az) / near, (wb * bz) / near, (wc * cz) / near);
    }
  }
}
