import sharp from 'sharp';
import { EngineRefusal } from '../engine.ts';

const WHITE = 128;
/** More than this painted anew is a new picture, which the net cannot make. */
const MAX_SHARE = 0.6;

/** A mask upload as 0 and 255, as large as its picture: white is to be changed. See-through parts count as black. */
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
  if (changed === 0) throw new EngineRefusal('The mask is all black. Paint white what is to be changed.');
  if (changed / mask.length > MAX_SHARE) {
    throw new EngineRefusal(
      `The mask covers ${Math.round((changed / mask.length) * 100)} % of the picture; at most ${MAX_SHARE * 100} % can be painted anew. Paint white only what is to be changed.`,
    );
  }
  return mask;
}
