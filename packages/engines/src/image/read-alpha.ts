import sharp from 'sharp';

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
