import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { runProgram } from '../run-program.ts';
import { loadPicture } from './load-picture.ts';
import { matchPalette } from './match-palette.ts';

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
