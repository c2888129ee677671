import sharp from 'sharp';

/** The alpha of a picture as it was uploaded, upright; null where it has none or nothing is see-through. */
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
