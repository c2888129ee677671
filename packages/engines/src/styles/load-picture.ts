import sharp, { type Sharp } from 'sharp';

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
