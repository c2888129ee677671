import { join } from 'node:path';
import type { ParamValue } from '@atelier/contract';
import sharp from 'sharp';
import type { EngineOutput } from '../engine.ts';

/** An image in memory: RGB, row by row from the top. */
export interface Picture {
  readonly rgb: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Width divided by height of an `aspect_ratio` such as "16:9"; null for "original", "auto" and invalid values. */
export function parseAspect(value: ParamValue | undefined): number | null {
  const match = typeof value === 'string' ? /^(\d+):(\d+)$/.exec(value) : null;
  return match === null ? null : Number(match[1]) / Number(match[2]);
}

/** An image as the models expect it: upright, sRGB, transparent parts on white, within the size limit. */
export async function readPicture(path: string, options: { maxPixels?: number } = {}): Promise<Picture> {
  const { autoOrient } = await sharp(path).metadata();
  const shrink = Math.min(
    1,
    Math.sqrt((options.maxPixels ?? Number.POSITIVE_INFINITY) / (autoOrient.width * autoOrient.height)),
  );
  let image = sharp(path).autoOrient().flatten({ background: '#ffffff' }).toColourspace('srgb');
  if (shrink < 1) {
    image = image.resize({
      width: Math.max(1, Math.floor(autoOrient.width * shrink)),
      height: Math.max(1, Math.floor(autoOrient.height * shrink)),
      fit: 'fill',
    });
  }
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { rgb: data, width: info.width, height: info.height };
}

/** The alpha of an uploaded image, upright; null if it has none or is fully opaque. */
export async function readAlpha(path: string, size: { width: number; height: number }): Promise<Buffer | null> {
  const { hasAlpha } = await sharp(path).metadata();
  if (!hasAlpha) return null;
  const alpha = await sharp(path)
    .autoOrient()
    .ensureAlpha()
    .extractChannel('alpha')
    .resize({ ...size, fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return alpha.every((value) => value === 255) ? null : alpha;
}

/**
 * Joins RGB and alpha to RGBA. Fully transparent pixels get the colour zero, so that the removed background cannot be
 * recovered by ignoring the alpha.
 */
export function joinAlpha(rgb: Buffer, alpha: Buffer): Buffer {
  const out = Buffer.alloc(alpha.length * 4);
  for (let i = 0; i < alpha.length; i++) {
    if (alpha[i] === 0) continue;
    out[i * 4] = rgb[i * 3]!;
    out[i * 4 + 1] = rgb[i * 3 + 1]!;
    out[i * 4 + 2] = rgb[i * 3 + 2]!;
    out[i * 4 + 3] = alpha[i]!;
  }
  return out;
}

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

/** Composites an image with alpha over another of the same size. The library's rounding is visible at soft edges. */
export function layOver(below: Picture, above: Picture & { readonly alpha: Buffer }): Picture {
  const rgb = Buffer.from(below.rgb);
  for (let i = 0; i < above.alpha.length; i++) {
    const part = above.alpha[i]! / 255;
    if (part === 0) continue;
    for (let at = i * 3; at < i * 3 + 3; at++) rgb[at] = Math.round(rgb[at]! + (above.rgb[at]! - rgb[at]!) * part);
  }
  return { rgb, width: below.width, height: below.height };
}
