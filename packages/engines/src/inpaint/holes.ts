import sharp from 'sharp';
import { EngineRefusal } from '../engine.ts';
import type { Filler } from '../image/open-filler.ts';
import type { Picture } from '../image/picture.ts';
import { type Box, boxBlur, cutBox, pasteBox } from '../image/planes.ts';

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

/** Grows the marked area (255) by a few pixels on every side, to include an object's soft edge and shadow. */
export function growMask(mask: Buffer, options: { width: number; height: number; radius: number }): Buffer {
  if (options.radius < 1) return Buffer.from(mask);
  const near = boxBlur(Float32Array.from(mask), options);
  const out = Buffer.alloc(mask.length);
  // Any share above a rounding error means that a marked pixel is within the square.
  for (let i = 0; i < out.length; i++) out[i] = near[i]! > 1e-3 ? 255 : 0;
  return out;
}

/** Resolution of the grid on which holes are detected. */
const CELLS = 192;

/**
 * Windows around the holes of a mask (255), each with the context that the model needs. Holes whose windows overlap share
 * one, so that no window cuts another's hole. A small window is painted in finer detail than the whole image.
 */
export function groupHoles(
  mask: Buffer,
  options: { width: number; height: number; minSide: number; context: number },
): Box[] {
  const { width, height } = options;
  const cell = Math.max(1, Math.ceil(Math.max(width, height) / CELLS));
  const [columns, rows] = [Math.ceil(width / cell), Math.ceil(height / cell)];
  const marked = new Uint8Array(columns * rows);
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 255)
      marked[Math.floor(Math.floor(i / width) / cell) * columns + Math.floor((i % width) / cell)] = 1;
  }
  let windows: Box[] = [];
  for (let start = 0; start < marked.length; start++) {
    if (marked[start] !== 1) continue;
    const found = flood(marked, { columns, rows, start });
    const hole = {
      left: found.left * cell,
      top: found.top * cell,
      width: Math.min(width, (found.right + 1) * cell) - found.left * cell,
      height: Math.min(height, (found.bottom + 1) * cell) - found.top * cell,
    };
    windows = merge(windows, widen(hole, options));
  }
  return windows;
}

function flood(marked: Uint8Array, grid: { columns: number; rows: number; start: number }) {
  const { columns, rows } = grid;
  const stack = [grid.start];
  marked[grid.start] = 2;
  const box = { left: columns, top: rows, right: 0, bottom: 0 };
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const [x, y] = [at % columns, Math.floor(at / columns)];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
    for (let toY = Math.max(0, y - 1); toY <= Math.min(rows - 1, y + 1); toY++) {
      for (let toX = Math.max(0, x - 1); toX <= Math.min(columns - 1, x + 1); toX++) {
        const to = toY * columns + toX;
        if (marked[to] !== 1) continue;
        marked[to] = 2;
        stack.push(to);
      }
    }
  }
  return box;
}

/** A square around the hole and its context, moved inside the image and cropped where it is larger. */
function widen(hole: Box, options: { width: number; height: number; minSide: number; context: number }): Box {
  const side = Math.max(options.minSide, Math.round(Math.max(hole.width, hole.height) * (1 + 2 * options.context)));
  const along = (from: number, length: number, room: number) => {
    const size = Math.min(room, side);
    return { from: Math.min(room - size, Math.max(0, Math.round(from + length / 2 - size / 2))), size };
  };
  const [x, y] = [along(hole.left, hole.width, options.width), along(hole.top, hole.height, options.height)];
  return { left: x.from, top: y.from, width: x.size, height: y.size };
}

function merge(windows: readonly Box[], added: Box): Box[] {
  const rest: Box[] = [];
  let whole = added;
  for (const each of windows) {
    const apart =
      each.left >= whole.left + whole.width ||
      whole.left >= each.left + each.width ||
      each.top >= whole.top + whole.height ||
      whole.top >= each.top + each.height;
    if (apart) rest.push(each);
    else {
      const [left, top] = [Math.min(each.left, whole.left), Math.min(each.top, whole.top)];
      whole = {
        left,
        top,
        width: Math.max(each.left + each.width, whole.left + whole.width) - left,
        height: Math.max(each.top + each.height, whole.top + whole.height) - top,
      };
    }
  }
  // A grown window may overlap one that was separate before.
  return rest.length === windows.length ? [...rest, whole] : merge(rest, whole);
}

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
