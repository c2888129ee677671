import sharp from 'sharp';
import type { Picture } from './picture.ts';

/** A rectangle of an image, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Copies a rectangle out of a larger one, `channels` bytes per pixel. */
export function cutBox(bytes: Buffer, options: { width: number; channels: number; box: Box }): Buffer {
  const { width, channels, box } = options;
  const out = Buffer.alloc(box.width * box.height * channels);
  for (let y = 0; y < box.height; y++) {
    const from = ((box.top + y) * width + box.left) * channels;
    bytes.copy(out, y * box.width * channels, from, from + box.width * channels);
  }
  return out;
}

/** Copies a rectangle back into a larger one. */
export function pasteBox(piece: Buffer, into: Buffer, options: { width: number; channels: number; box: Box }): void {
  const { width, channels, box } = options;
  for (let y = 0; y < box.height; y++) {
    const start = y * box.width * channels;
    piece.copy(into, ((box.top + y) * width + box.left) * channels, start, start + box.width * channels);
  }
}

/** The mean over a square around each value; at the edges, over the part of the square inside. */
export function boxBlur(
  values: Float32Array,
  options: { width: number; height: number; radius: number },
): Float32Array<ArrayBuffer> {
  const { width, height, radius } = options;
  const rows = new Float32Array(values.length);
  for (let y = 0; y < height; y++) {
    const start = y * width;
    let sum = 0;
    for (let x = 0; x < Math.min(radius, width); x++) sum += values[start + x]!;
    for (let x = 0; x < width; x++) {
      if (x + radius < width) sum += values[start + x + radius]!;
      if (x - radius > 0) sum -= values[start + x - radius - 1]!;
      rows[start + x] = sum / (Math.min(width - 1, x + radius) - Math.max(0, x - radius) + 1);
    }
  }
  // Row by row with one sum per column, so that memory is read in order.
  const out = new Float32Array(values.length);
  const sums = new Float64Array(width);
  for (let y = 0; y < Math.min(radius, height); y++) {
    for (let x = 0; x < width; x++) sums[x]! += rows[y * width + x]!;
  }
  for (let y = 0; y < height; y++) {
    const count = Math.min(height - 1, y + radius) - Math.max(0, y - radius) + 1;
    const entering = y + radius < height ? (y + radius) * width : -1;
    const leaving = y - radius > 0 ? (y - radius - 1) * width : -1;
    for (let x = 0; x < width; x++) {
      if (entering >= 0) sums[x]! += rows[entering + x]!;
      if (leaving >= 0) sums[x]! -= rows[leaving + x]!;
      out[y * width + x] = sums[x]! / count;
    }
  }
  return out;
}

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

/** Reads values for each pixel of a large image from planes computed on a small one. */
interface Grid {
  readonly planes: readonly Float32Array[];
  readonly width: number;
  readonly height: number;
}

/** Calls back for every pixel of the large image with the interpolated values of the planes. The array is reused. */
export function sampleGrid(
  grid: Grid,
  to: { width: number; height: number },
  visit: (pixel: number, values: Float32Array) => void,
): void {
  const { planes, width, height } = grid;
  const values = new Float32Array(planes.length);
  const columns = Array.from({ length: to.width }, (_, x) => place(x, { from: to.width, to: width }));
  for (let y = 0; y < to.height; y++) {
    const row = place(y, { from: to.height, to: height });
    const [upper, lower] = [row.first * width, row.second * width];
    for (let x = 0; x < to.width; x++) {
      const { first, second, part } = columns[x]!;
      for (let i = 0; i < planes.length; i++) {
        const plane = planes[i]!;
        const above = plane[upper + first]! + (plane[upper + second]! - plane[upper + first]!) * part;
        const below = plane[lower + first]! + (plane[lower + second]! - plane[lower + first]!) * part;
        values[i] = above + (below - above) * row.part;
      }
      visit(y * to.width + x, values);
    }
  }
}

function place(at: number, size: { from: number; to: number }): { first: number; second: number; part: number } {
  const position = Math.min(size.to - 1, Math.max(0, ((at + 0.5) * size.to) / size.from - 0.5));
  const first = Math.floor(position);
  return { first, second: Math.min(size.to - 1, first + 1), part: position - first };
}

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
