import { cutBox, pasteBox } from '../image/box.ts';
import type { Filler } from '../image/open-filler.ts';
import type { Picture } from '../image/picture.ts';
import { groupHoles } from './group-holes.ts';

/** The model's resolution; a smaller window would only be enlarged. */
const NET_SIDE = 512;
/** Context around a hole, relative to the size of the hole. */
const CONTEXT = 0.75;

/** Inpaints every hole of the mask (255) from its surroundings, one by one. */
export async function paintHoles(options: {
  picture: Picture;
  mask: Buffer;
  filler: Filler;
  report: (progress: number) => void;
}): Promise<Picture> {
  const { picture, mask, filler, report } = options;
  const { width, height } = picture;
  const rgb = Buffer.from(picture.rgb);
  const windows = groupHoles(mask, { width, height, minSide: NET_SIDE, context: CONTEXT });
  for (const [index, box] of windows.entries()) {
    const piece = await filler({
      rgb: cutBox(rgb, { width, channels: 3, box }),
      mask: cutBox(mask, { width, channels: 1, box }),
      width: box.width,
      height: box.height,
    });
    pasteBox(piece, rgb, { width, channels: 3, box });
    report((index + 1) / windows.length);
  }
  return { rgb, width, height };
}
