import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { EngineOutput } from '../engine.ts';
import { runProgram } from '../run-program.ts';
import type { Filter } from './filters.ts';

/** Loads an upload: upright, RGB on white, within the size limit. */
export async function loadPicture(options: {
  path: string;
  maxSide: number;
}): Promise<{ picture: Sharp; width: number; height: number }> {
  const { data, info } = await sharp(options.path)
    .rotate()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .resize(options.maxSide, options.maxSide, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { picture: sharp(data, { raw: { width, height, channels: info.channels } }), width, height };
}

/** Above this a photograph is written as JPEG: a PNG of it would be tens of megabytes. */
const MAX_PNG_PIXELS = 4_000_000;
const JPEG_QUALITY = 95;

export async function savePicture(picture: Sharp, dir: string): Promise<EngineOutput> {
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const image = sharp(data, { raw: { width, height, channels } });
  const isLarge = width * height > MAX_PNG_PIXELS;
  const path = join(dir, isLarge ? 'output.jpg' : 'output.png');
  await (isLarge ? image.jpeg({ quality: JPEG_QUALITY }) : image.png()).toFile(path);
  return { path };
}

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
