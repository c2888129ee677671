/** How much of the last frame's alpha stays where the picture stands still. */
const MEMORY = 0.65;
/** A change of colour by this much, of 255, is motion: there the new alpha counts alone. */
const MOTION = 24;
/** Alpha this near to nothing or to all becomes it. */
const [FLOOR, CEILING] = [12, 243];

/**
 * Steadies the alpha of one frame after another: a net that sees single frames changes its mind between them, which
 * flickers. Where the picture moves nothing is held back, else the outline would trail.
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
