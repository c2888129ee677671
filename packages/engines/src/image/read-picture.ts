import sharp from 'sharp';
import type { Picture } from './picture.ts';

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
