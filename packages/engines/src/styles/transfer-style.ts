import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { runProgram } from '../run-program.ts';
import { loadPicture } from './run-filter.ts';

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

/** The patch search grows with the pixels of both images: two cores take about ten seconds for these sizes. */
const MAX_CONTENT_SIDE = 960;
const MAX_STYLE_SIDE = 600;
const SEARCH_ROUNDS = '8,8';

/** The patch size: larger patches transfer more of the strokes and lose more detail. */
export const patchSides = { faithful: 5, balanced: 9, free: 17 } as const;

/**
 * Rebuilds an image from patches of a style image: it first gets the style's colours by brightness, then each patch is
 * replaced by the most similar patch of the style.
 */
export async function transferStyle(options: {
  gmic: string;
  content: string;
  style: string;
  fidelity: keyof typeof patchSides;
  dir: string;
}): Promise<Sharp> {
  const { gmic, dir } = options;
  const [from, patches, to] = [join(dir, 'from.png'), join(dir, 'patches.png'), join(dir, 'to.png')];
  const content = await loadPicture({ path: options.content, maxSide: MAX_CONTENT_SIDE });
  const style = await loadPicture({ path: options.style, maxSide: MAX_STYLE_SIDE });
  const { width, height } = content;
  const coloured = matchPalette(await content.picture.raw().toBuffer(), await style.picture.raw().toBuffer());
  await sharp(coloured, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toFile(from);
  await style.picture.png({ compressionLevel: 1 }).toFile(patches);
  const side = patchSides[options.fidelity];
  await runProgram({
    path: gmic,
    args: [
      ...['-v', '-', from, patches, 'to_rgb', 'srand', '7'],
      ...['+matchpatch[0]', `[1],${side},${side},1,${SEARCH_ROUNDS}`, '+warp[1]', '[-1],0'],
      ...['keep[-1]', 'cut', '0,255', 'round', '-o', to],
    ],
    cwd: dir,
  });
  return sharp(to).toColourspace('srgb');
}
