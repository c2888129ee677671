/** The mean over a square around each value; at the edges, over the part of the square inside. */
export function boxBlur(
  values: Float32Array,
  options: { width: number; height: number; radius: number },
): Float32Array<ArrayBuffer> {
  const { width, height, radius } = options;
  const rows = new Float32Array(values.length);
  for (let y = 0; y < height; y++) {
    const start = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(radius, width); x++) sum += values[start + x]!;
    for (let x = 0; x < width; x++) {
      if (x + radius < width) sum += values[start + x + radius]!;
      if (x - radius > 0) sum -= values[start + x - radius - 1]!;
      rows[start + x] = sum / (Math.min(width - 1, x + radius) - Math.max(0, x - radius) + 1);
    }
  }
  // Row by row with one sum per column, so that memory is read in order.
  const out = new Float32Array(values.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < Math.min(radius, height); y++) {
    for (let x = 0; x < width; x++) sums[x]! += rows[y * width + x]!;
  }
  for (let y = 0; y < height; y++) {
    const count = Math.min(height - 1, y + radius) - Math.max(0, y - radius) + 1;
    const entering = y + radius < height ? (y + radius) * width : -1;
    const leaving = y - radius > 0 ? (y - radius - 1) * width : -1;
    for (let x = 0; x < width; x++) {
      if (entering >= 0) sums[x]! += rows[entering + x]!;
      if (leaving >= 0) sums[x]! -= rows[leaving + x]!;
      out[y * width + x] = sums[x]! / count;
    }
  }
  return out;
}
