/** Below this the background shows through; such pixels take the colour of the nearby subject. */
const SOLID_ALPHA = 235;

/** Extends the subject's colours outwards, so that the rim of the model does not show the background. */
export function spreadColours(options: { rgb: Buffer; alpha: Buffer; width: number; height: number }): Buffer {
  const { alpha, width, height } = options;
  const rgb = Buffer.from(options.rgb);
  const known = new Uint8Array(width * height);
  let front: number[] = [];
  for (let at = 0; at < known.length; at++) if (alpha[at]! >= SOLID_ALPHA) known[at] = 1;
  for (let at = 0; at < known.length; at++) if (known[at] === 1) front.push(at);
  while (front.length > 0) {
    const next: number[] = [];
    for (const at of front) {
      const [column, row] = [at % width, Math.floor(at / width)];
      for (const [dx, dy] of [
        [1, 0],
        [-1, 0],
        [0, 1],
        [0, -1],
      ] as const) {
        if (column + dx < 0 || column + dx >= width || row + dy < 0 || row + dy >= height) continue;
        const other = at + dy * width + dx;
        if (known[other] === 1) continue;
        known[other] = 1;
        rgb.copyWithin(other * 3, at * 3, at * 3 + 3);
        next.push(other);
      }
    }
    front = next;
  }
  return rgb;
}
