import { inflateSync } from 'node:zlib';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly rgba: Uint8Array;
}

const MAX_PIXELS = 40_000_000;
/** Channels by color type: gray, RGB, palette, gray with alpha, RGBA. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A PNG with 8 bits per channel and no interlacing, as models write them; null for any other. */
export function decodePng(file: Buffer): Pixels | null {
  if (file.length < 33 || file.toString('latin1', 1, 4) !== 'PNG') return null;
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [bits, type, , , interlace] = file.subarray(24, 29);
  const channels = CHANNELS[type as number];
  if (bits !== 8 || interlace !== 0 || channels === undefined || width * height > MAX_PIXELS) return null;
  const { data, palette } = readChunks(file);
  const rowBytes = width * channels;
  const rows = inflateSync(data, { maxOutputLength: (rowBytes + 1) * height });
  const samples = unfilter(rows, { rowBytes, height, channels });
  const rgba = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const at = pixel * channels;
    const first = samples[at]!;
    const color =
      type === 3
        ? palette.subarray(first * 3, first * 3 + 3)
        : channels < 3
          ? [first, first, first]
          : samples.subarray(at, at + 3);
    rgba.set(color, pixel * 4);
    rgba[pixel * 4 + 3] = channels === 4 || channels === 2 ? samples[at + channels - 1]! : 255;
  }
  return { width, height, rgba };
}

function readChunks(file: Buffer): { data: Buffer; palette: Buffer } {
  const data: Buffer[] = [];
  let palette: Buffer = Buffer.alloc(0);
  for (let at = 8; at + 8 <= file.length; ) {
    const bytes = file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + bytes);
    if (name === 'IDAT') data.push(content);
    if (name === 'PLTE') palette = content;
    at += 12 + bytes;
  }
  return { data: Buffer.concat(data), palette };
}

/** Undoes the prediction of each row: none, left, up, average or Paeth. */
function unfilter(rows: Buffer, size: { rowBytes: number; height: number; channels: number }): Uint8Array {
  const { rowBytes, height, channels } = size;
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; x += 1) {
      const at = y * rowBytes + x;
      const left = x < channels ? 0 : out[at - channels]!;
      const up = y === 0 ? 0 : out[at - rowBytes]!;
      const corner = x < channels || y === 0 ? 0 : out[at - rowBytes - channels]!;
      const predicted =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : filter === 4
                ? paeth(left, up, corner)
                : 0;
      out[at] = rows[y * (rowBytes + 1) + 1 + x]! + predicted;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
