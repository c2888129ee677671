import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { EngineOutput } from '../engine.ts';

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
