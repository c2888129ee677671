import sharp from 'sharp';
import { EngineRefusal } from '../engine.ts';

const WHITE = 128;
/** The largest share of an image that the model can inpaint plausibly. */
const MAX_SHARE = 0.6;

/** A mask as 0 and 255, in the size of its image: white marks the area to change. Transparent pixels count as black. */
export async function readMask(path: string, size: { width: number; height: number }): Promise<Buffer> {
  const mask = await sharp(path)
    .autoOrient()
    .flatten({ background: '#000000' })
    .greyscale()
    .resize({ width: size.width, height: size.height, fit: 'fill', kernel: 'linear' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  let changed = 0;
  for (let i = 0; i < mask.length; i++) {
    mask[i] = mask[i]! >= WHITE ? 255 : 0;
    if (mask[i] === 255) changed++;
  }
  if (changed === 0) throw new EngineRefusal('The mask is empty. Paint the area to change white.');
  if (changed / mask.length > MAX_SHARE) {
    throw new EngineRefusal(
      `The mask covers ${Math.round((changed / mask.length) * 100)} % of the image; the limit is ${MAX_SHARE * 100} %. Paint only the area to change white.`,
    );
  }
  return mask;
}
