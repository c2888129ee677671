import sharp from 'sharp';

/** Resizes one channel of bytes. */
export async function resizePlane(
  plane: { bytes: Buffer; width: number; height: number },
  to: { width: number; height: number },
): Promise<Buffer> {
  if (plane.width === to.width && plane.height === to.height) return plane.bytes;
  return sharp(plane.bytes, { raw: { width: plane.width, height: plane.height, channels: 1 } })
    .resize({ width: to.width, height: to.height, fit: 'fill', kernel: 'cubic' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
}
