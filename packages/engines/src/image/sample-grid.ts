/** Reads values for each pixel of a large image from planes computed on a small one. */
interface Grid {
  readonly planes: readonly Float32Array[];
  readonly width: number;
  readonly height: number;
}

/** Calls back for every pixel of the large image with the interpolated values of the planes. The array is reused. */
export function sampleGrid(
  grid: Grid,
  to: { width: number; height: number },
  visit: (pixel: number, values: Float32Array) => void,
): void {
  const { planes, width, height } = grid;
  const values = new Float32Array(planes.length);
  const columns = Array.from({ length: to.width }, (_, x) => place(x, { from: to.width, to: width }));
  for (let y = 0; y < to.height; y++) {
    const row = place(y, { from: to.height, to: height });
    const [upper, lower] = [row.first * width, row.second * width];
    for (let x = 0; x < to.width; x++) {
      const { first, second, part } = columns[x]!;
      for (let i = 0; i < planes.length; i++) {
        const plane = planes[i]!;
        const above = plane[upper + first]! + (plane[upper + second]! - plane[upper + first]!) * part;
        const below = plane[lower + first]! + (plane[lower + second]! - plane[lower + first]!) * part;
        values[i] = above + (below - above) * row.part;
      }
      visit(y * to.width + x, values);
    }
  }
}

function place(at: number, size: { from: number; to: number }): { first: number; second: number; part: number } {
  const position = Math.min(size.to - 1, Math.max(0, ((at + 0.5) * size.to) / size.from - 0.5));
  const first = Math.floor(position);
  return { first, second: Math.min(size.to - 1, first + 1), part: position - first };
}
