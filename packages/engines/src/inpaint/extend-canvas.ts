import sharp from 'sharp';
import type { Filler } from '../image/open-filler.ts';
import type { Picture } from '../image/picture.ts';
import { type Box, cutBox, pasteBox } from '../image/planes.ts';

/** A few pixels of the image's own edge are repainted, which hides the seam. */
const SEAM_PIXELS = 4;
/** A wide margin is painted in several narrow steps, each continuing the previous one: wide holes come out smeared. */
const MAX_STEP = 0.085;
/** The model gets as much context as possible: from a small part it invents content. Only panoramas are split. */
const [MIN_WINDOW, MAX_WINDOW] = [512, 3072];
const PIECE_PER_WINDOW = 0.6;

const SIDES = ['left', 'right', 'top', 'bottom'] as const;
type Side = (typeof SIDES)[number];
type Margins = Readonly<Record<Side, number>>;

/** Extends the sides of an image, in pixels. The new area starts as a mirror of the image and is then inpainted. */
export async function extendCanvas(options: {
  picture: Picture;
  margins: Margins;
  filler: Filler;
  report: (progress: number) => void;
}): Promise<Picture> {
  const { picture, margins, filler, report } = options;
  const steps = SIDES.flatMap((side) => planSteps(picture, side, margins[side]));
  // The first step of every side, then the second, so that corners grow with both sides.
  steps.sort((a, b) => a.index - b.index);
  let current = picture;
  for (const [index, { side, pixels }] of steps.entries()) {
    current = await extendSide({ picture: current, side, pixels, filler });
    report((index + 1) / steps.length);
  }
  return current;
}

function planSteps(size: { width: number; height: number }, side: Side, pixels: number) {
  const length = side === 'left' || side === 'right' ? size.width : size.height;
  const count = Math.ceil(pixels / Math.max(1, length * MAX_STEP));
  return Array.from({ length: count }, (_, index) => ({
    index,
    side,
    pixels: Math.round((pixels * (index + 1)) / count) - Math.round((pixels * index) / count),
  })).filter((step) => step.pixels > 0);
}

async function extendSide(options: { picture: Picture; side: Side; pixels: number; filler: Filler }): Promise<Picture> {
  const { picture, side, pixels, filler } = options;
  const { data, info } = await sharp(picture.rgb, {
    raw: { width: picture.width, height: picture.height, channels: 3 },
  })
    .extend({ [side]: pixels, extendWith: 'mirror' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  for (const { hole, window } of planStrip({ width, height, side, thickness: pixels + SEAM_PIXELS })) {
    const mask = Buffer.alloc(window.width * window.height);
    for (let y = 0; y < hole.height; y++) {
      const start = (hole.top - window.top + y) * window.width + hole.left - window.left;
      mask.fill(255, start, start + hole.width);
    }
    const rgb = cutBox(data, { width, channels: 3, box: window });
    const painted = await filler({ rgb, mask, width: window.width, height: window.height });
    pasteBox(painted, data, { width, channels: 3, box: window });
  }
  return { rgb: data, width, height };
}

/** The pieces of a strip along one side, each with the part of the image that the model gets as context. */
export function planStrip(options: {
  width: number;
  height: number;
  side: Side;
  thickness: number;
}): Array<{ hole: Box; window: Box }> {
  const { width, height, side, thickness } = options;
  const upright = side === 'left' || side === 'right';
  const [length, depth] = upright ? [height, width] : [width, height];
  const reach = Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, length));
  const count = length <= reach ? 1 : Math.ceil(length / (reach * PIECE_PER_WINDOW));
  const [along, across] = [Math.min(reach, length), Math.min(reach, depth)];
  return Array.from({ length: count }, (_, i) => {
    const from = Math.round((length * i) / count);
    const size = Math.round((length * (i + 1)) / count) - from;
    const start = Math.min(length - along, Math.max(0, Math.round(from + size / 2 - along / 2)));
    const far = side === 'right' || side === 'bottom';
    const place = (at: number, extent: number, deep: number): Box => {
      const edge = far ? depth - deep : 0;
      return upright
        ? { left: edge, top: at, width: deep, height: extent }
        : { left: at, top: edge, width: extent, height: deep };
    };
    return { hole: place(from, size, Math.min(thickness, across)), window: place(start, along, across) };
  });
}

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
