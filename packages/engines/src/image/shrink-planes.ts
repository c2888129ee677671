import sharp from 'sharp';
import type { Picture } from './picture.ts';
import { resizePlane } from './resize-plane.ts';

interface SmallPlanes {
  readonly red: Float32Array;
  readonly green: Float32Array;
  readonly blue: Float32Array;
  readonly alpha: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** An image and its alpha as planes of 0 to 1, on a small grid that is fast to compute on. */
export async function shrinkPlanes(
  picture: Picture & { readonly alpha: Buffer },
  options: { maxSide: number },
): Promise<SmallPlanes> {
  const scale = Math.min(1, options.maxSide / Math.max(picture.width, picture.height));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const rgb = await sharp(picture.rgb, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize({ width, height, fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer();
  const bytes = await resizePlane(
    { bytes: picture.alpha, width: picture.width, height: picture.height },
    { width, height },
  );
  const [red, green, blue, alpha] = Array.from({ length: 4 }, () => new Float32Array(width * height)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  for (let i = 0; i < alpha.length; i++) {
    red[i] = rgb[i * 3]! / 255;
    green[i] = rgb[i * 3 + 1]! / 255;
    blue[i] = rgb[i * 3 + 2]! / 255;
    alpha[i] = bytes[i]! / 255;
  }
  return { red, green, blue, alpha, width, height };
}
