/** How much of the previous frame's alpha is kept where the image does not move. */
const MEMORY = 0.65;
/** A colour change of this much, of 255, is motion: only the new alpha counts there. */
const MOTION = 24;
/** Alpha this close to 0 or 255 is rounded to it. */
const [FLOOR, CEILING] = [12, 243];

/**
 * Smooths alpha over time: a model that processes single frames flickers. Moving areas are not smoothed, so that the
 * outline does not trail.
 */
export function createAlphaSmoother(size: { width: number; height: number }): (rgb: Buffer, alpha: Buffer) => Buffer {
  const pixels = size.width * size.height;
  const held = new Float32Array(pixels);
  let last: Buffer | null = null;
  return (rgb, alpha) => {
    const out = Buffer.allocUnsafe(pixels);
    for (let i = 0; i < pixels; i++) {
      let value = alpha[i]!;
      if (last !== null) {
        const at = i * 3;
        const moved =
          Math.abs(rgb[at]! - last[at]!) +
          Math.abs(rgb[at + 1]! - last[at + 1]!) +
          Math.abs(rgb[at + 2]! - last[at + 2]!);
        const stay = MEMORY * Math.max(0, 1 - moved / 3 / MOTION);
        value = value * (1 - stay) + held[i]! * stay;
      }
      held[i] = value;
      out[i] = Math.min(255, Math.max(0, Math.round(((value - FLOOR) * 255) / (CEILING - FLOOR))));
    }
    last = rgb;
    return out;
  };
}
