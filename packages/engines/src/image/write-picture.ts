import { join } from 'node:path';
import sharp from 'sharp';
import type { EngineOutput } from '../engine.ts';
import { joinAlpha } from './join-alpha.ts';
import type { Picture } from './picture.ts';

/** Above this a photograph as PNG takes tens of megabytes. */
const MAX_PNG_PIXELS = 4_000_000;
const JPEG_QUALITY = 95;

/** Writes an image into the request's folder: PNG, or JPEG if it is large and opaque. */
export async function writePicture(options: {
  picture: Picture;
  alpha?: Buffer | undefined;
  dir: string;
  name: string;
}): Promise<EngineOutput> {
  const { picture, alpha, dir, name } = options;
  const { rgb, width, height } = picture;
  if (alpha === undefined) {
    const image = sharp(rgb, { raw: { width, height, channels: 3 } });
    const large = width * height > MAX_PNG_PIXELS;
    const path = join(dir, `${name}.${large ? 'jpg' : 'png'}`);
    await (large ? image.jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:4:4' }) : image.png()).toFile(path);
    return { path };
  }
  const path = join(dir, `${name}.png`);
  await sharp(joinAlpha(rgb, alpha), { raw: { width, height, channels: 4 } })
    .png()
    .toFile(path);
  return { path };
}
