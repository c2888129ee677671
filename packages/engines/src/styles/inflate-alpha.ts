const SWEEPS = 260;
const RELAXATION = 1.9;

/**
 * The height of an inflated shape: the square root of a Poisson surface that is zero outside the shape. At the edge of the
 * image the surface continues level, because the subject does not end there.
 */
export function inflateAlpha(alpha: Float32Array, size: { width: number; height: number }): Float32Array<ArrayBuffer> {
  const { width, height } = size;
  const surface = new Float32Array(alpha.length);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let y = 0; y < height; y++) {
      const [up, down] = [y > 0 ? -width : 0, y < height - 1 ? width : 0];
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        if (alpha[i]! < 0.5) continue;
        const [left, right] = [x > 0 ? -1 : 0, x < width - 1 ? 1 : 0];
        const around = surface[i + left]! + surface[i + right]! + surface[i + up]! + surface[i + down]!;
        surface[i]! += RELAXATION * ((around + 1) / 4 - surface[i]!);
      }
    }
  }
  return surface.map((value) => Math.sqrt(Math.max(0, value)));
}
