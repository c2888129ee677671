import { join } from 'node:path';
import type { EngineKit } from '../engine.ts';
import type { Picture } from '../image/picture.ts';
import { type Box, cutBox, pasteBox } from '../image/planes.ts';
import { openSession } from '../open-session.ts';

/** Rectangles of similar size that cover an image, none with a side longer than the limit. */
export function planTiles(size: { width: number; height: number }, maxSide: number): Box[] {
  return cutEvenly(size.height, maxSide).flatMap(([top, height]) =>
    cutEvenly(size.width, maxSide).map(([left, width]) => ({ left, top, width, height })),
  );
}

function cutEvenly(length: number, maxSide: number): Array<readonly [from: number, size: number]> {
  const count = Math.ceil(length / maxSide);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.round((length * i) / count);
    return [from, Math.round((length * (i + 1)) / count) - from] as const;
  });
}

const FACTOR = 2;
/** The maximum tile size: smaller tiles are slower, larger ones need more memory. */
const NET_SIDE = 192;
/** Each tile is extended by this margin, which is discarded, because the model is unreliable at edges. */
const OVERLAP = 10;
const TILE_SIDE = NET_SIDE - 2 * OVERLAP;

/** Doubles an image; reports progress after each tile. */
export type Upscaler = (picture: Picture, report: (progress: number) => void) => Promise<Picture>;

export async function openUpscaler(options: { kit: Pick<EngineKit, 'weights' | 'threads'> }): Promise<Upscaler> {
  const { kit } = options;
  const { Tensor } = await import('onnxruntime-node');
  const path = join(kit.weights('realesrgan-x2'), 'real_esrgan_x2.onnx');
  const session = await openSession({ path, threads: kit.threads });
  const [inputName, outputName] = [session.inputNames[0]!, session.outputNames[0]!];

  return async (picture, report) => {
    const { width, height } = picture;
    const out = Buffer.alloc(width * height * FACTOR * FACTOR * 3);
    const tiles = planTiles(picture, TILE_SIDE);
    for (const [index, tile] of tiles.entries()) {
      const values = readTile(picture, tile);
      // Both sides must be even, because the model halves them first.
      const size = { width: even(tile.width) + 2 * OVERLAP, height: even(tile.height) + 2 * OVERLAP };
      const result = await session.run({ [inputName]: new Tensor('float32', values, [1, 3, size.height, size.width]) });
      const made = toBytes(result[outputName]!.data as Float32Array);
      const box = (left: number, top: number) => ({
        left: left * FACTOR,
        top: top * FACTOR,
        width: tile.width * FACTOR,
        height: tile.height * FACTOR,
      });
      const middle = cutBox(made, { width: size.width * FACTOR, channels: 3, box: box(OVERLAP, OVERLAP) });
      pasteBox(middle, out, { width: width * FACTOR, channels: 3, box: box(tile.left, tile.top) });
      report((index + 1) / tiles.length);
    }
    return { rgb: out, width: width * FACTOR, height: height * FACTOR };
  };
}

const even = (length: number) => length + (length % 2);

/** One tile with its margin as planes of 0 to 1; mirrored at the image's edge, which avoids streaks. */
function readTile(picture: Picture, tile: { left: number; top: number; width: number; height: number }): Float32Array {
  const [width, height] = [even(tile.width) + 2 * OVERLAP, even(tile.height) + 2 * OVERLAP];
  const values = new Float32Array(width * height * 3);
  const columns = Array.from({ length: width }, (_, x) => reflect(tile.left + x - OVERLAP, picture.width));
  for (let y = 0; y < height; y++) {
    const row = reflect(tile.top + y - OVERLAP, picture.height) * picture.width;
    for (let x = 0; x < width; x++) {
      const from = (row + columns[x]!) * 3;
      for (let channel = 0; channel < 3; channel++) {
        values[(channel * height + y) * width + x] = picture.rgb[from + channel]! / 255;
      }
    }
  }
  return values;
}

/** Mirrors a coordinate at the edges until it is inside. */
function reflect(at: number, length: number): number {
  if (length === 1) return 0;
  const period = 2 * (length - 1);
  const within = ((at % period) + period) % period;
  return within < length ? within : period - within;
}

/** Planes of 0 to 1 as RGB bytes. */
function toBytes(values: Float32Array): Buffer {
  const pixels = values.length / 3;
  const bytes = Buffer.alloc(values.length);
  for (let i = 0; i < pixels; i++) {
    for (let channel = 0; channel < 3; channel++) {
      bytes[i * 3 + channel] = Math.min(255, Math.max(0, Math.round(values[channel * pixels + i]! * 255)));
    }
  }
  return bytes;
}
