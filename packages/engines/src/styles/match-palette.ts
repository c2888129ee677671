const LEVELS = 256;
const [RED, GREEN, BLUE] = [0.299, 0.587, 0.114];
/** How many neighbouring levels are averaged, for smooth transitions. */
const SMOOTHING = 6;

/** Pixels in RGB, three bytes each. */
export type Pixels = Buffer;

/**
 * Applies the colours of one image to another by brightness: the darkest tenth gets the colours of the darkest tenth, and
 * so on. Matching patches of the style can then be found for every part of the image.
 */
export function matchPalette(content: Pixels, style: Pixels): Pixels {
  const palette = paletteOf(style);
  const ranks = ranksOf(content);
  const out = Buffer.alloc(content.length);
  for (let at = 0; at < content.length; at += 3) out.set(palette[ranks[brightnessOf(content, at)]!]!, at);
  return out;
}

function brightnessOf(pixels: Pixels, at: number): number {
  return Math.round(RED * pixels[at]! + GREEN * pixels[at + 1]! + BLUE * pixels[at + 2]!);
}

/** For each brightness, which part of the pixels is darker, in 256 steps. */
function ranksOf(pixels: Pixels): Uint8Array {
  const counts = new Uint32Array(LEVELS);
  for (let at = 0; at < pixels.length; at += 3) counts[brightnessOf(pixels, at)]! += 1;
  const ranks = new Uint8Array(LEVELS);
  const total = pixels.length / 3;
  let below = 0;
  for (let level = 0; level < LEVELS; level += 1) {
    ranks[level] = Math.round(((below + counts[level]! / 2) / total) * (LEVELS - 1));
    below += counts[level]!;
  }
  return ranks;
}

/** The mean colour of the pixels at each rank of brightness. */
function paletteOf(pixels: Pixels): readonly number[][] {
  const ranks = ranksOf(pixels);
  const sums = Array.from({ length: LEVELS }, () => [0, 0, 0, 0]);
  for (let at = 0; at < pixels.length; at += 3) {
    const sum = sums[ranks[brightnessOf(pixels, at)]!]!;
    for (let channel = 0; channel < 3; channel += 1) sum[channel]! += pixels[at + channel]!;
    sum[3]! += 1;
  }
  return sums.map((_sum, rank) => {
    for (let reach = SMOOTHING; reach < LEVELS; reach *= 2) {
      const near = sums.slice(Math.max(0, rank - reach), rank + reach + 1);
      const count = near.reduce((total, each) => total + each[3]!, 0);
      if (count > 0) return [0, 1, 2].map((channel) => near.reduce((total, each) => total + each[channel]!, 0) / count);
    }
    return [rank, rank, rank];
  });
}
