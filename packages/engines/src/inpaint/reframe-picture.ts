import sharp from 'sharp';
import type { Filler } from '../image/open-filler.ts';
import type { Picture } from '../image/picture.ts';
import { extendCanvas } from './extend-canvas.ts';

/** How far a side may grow, relative to the image: beyond that the result is smeared. */
const MAX_EXTENSION = 0.25;

/** Plans a new aspect ratio: extends the short side up to the limit, and crops for the rest. */
export function planReframe(
  size: { width: number; height: number },
  aspect: number,
): { grownWidth: number; grownHeight: number; width: number; height: number } {
  const grow = (length: number, wanted: number) =>
    Math.round(Math.max(length, Math.min(wanted, length * (1 + 2 * MAX_EXTENSION))));
  const grownWidth = grow(size.width, size.height * aspect);
  const grownHeight = grow(size.height, size.width / aspect);
  const width = Math.min(grownWidth, Math.round(grownHeight * aspect));
  const height = Math.min(grownHeight, Math.round(grownWidth / aspect));
  return { grownWidth, grownHeight, width, height };
}

/** Changes the aspect ratio of an image: `extend` outpaints first, `crop` only cuts, around the salient part. */
export async function reframePicture(options: {
  picture: Picture;
  aspect: number;
  style: 'extend' | 'crop';
  filler: Filler;
  report: (progress: number) => void;
}): Promise<Picture> {
  const { picture, aspect, style, filler, report } = options;
  const plan =
    style === 'extend'
      ? planReframe(picture, aspect)
      : {
          grownWidth: picture.width,
          grownHeight: picture.height,
          width: Math.min(picture.width, Math.round(picture.height * aspect)),
          height: Math.min(picture.height, Math.round(picture.width / aspect)),
        };
  const [wider, taller] = [plan.grownWidth - picture.width, plan.grownHeight - picture.height];
  const margins = {
    left: Math.floor(wider / 2),
    right: Math.ceil(wider / 2),
    top: Math.floor(taller / 2),
    bottom: Math.ceil(taller / 2),
  };
  const grown = await extendCanvas({ picture, margins, filler, report });
  if (grown.width === plan.width && grown.height === plan.height) return grown;
  const rgb = await sharp(grown.rgb, { raw: { width: grown.width, height: grown.height, channels: 3 } })
    .resize({ width: plan.width, height: plan.height, fit: 'cover', position: 'attention' })
    .raw()
    .toBuffer();
  return { rgb, width: plan.width, height: plan.height };
}
