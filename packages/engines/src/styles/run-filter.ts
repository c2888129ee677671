import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { runProgram } from '../run-program.ts';
import type { Filter } from './filters.ts';
import { loadPicture } from './load-picture.ts';

/** The longest side at which the presets were tuned. */
const TUNED_SIDE = 600;
const NO_CHATTER = ['-v', '-'];
/** Fixed, so that the same image produces the same result. */
const SEEDED = ['srand', '7'];

export async function runFilter(options: { gmic: string; filter: Filter; path: string; dir: string }): Promise<Sharp> {
  const { gmic, filter, path, dir } = options;
  const [from, to] = [join(dir, 'from.png'), join(dir, 'to.png')];
  const { picture, width, height } = await loadPicture({ path, maxSide: filter.maxSide });
  await picture.png({ compressionLevel: 1 }).toFile(from);
  const steps = filter.steps(Math.max(width, height) / TUNED_SIDE);
  await runProgram({ path: gmic, args: [...NO_CHATTER, from, ...SEEDED, ...steps, '-o', to], cwd: dir });
  // Some filters work in whole tiles and return a slightly larger image.
  return sharp(to).toColourspace('srgb').resize(width, height, { fit: 'fill' });
}
