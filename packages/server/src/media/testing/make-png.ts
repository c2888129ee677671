import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const ZERO_BLOCK_BYTES = 1024 * 1024;
const ADLER_MODULUS = 65521;

export function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const whole = Buffer.alloc(content.length + 12);
  whole.writeUInt32BE(content.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), whole.length - 4);
  return whole;
}

/** A PNG around given pixel data, with other chunks between header and pixels. */
export function makePng({
  width,
  height,
  bitDepth = 8,
  colourType = 0,
  pixels,
  extra = [],
}: {
  width: number;
  height: number;
  bitDepth?: number;
  colourType?: number;
  pixels: Buffer;
  extra?: readonly Buffer[];
}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, colourType, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function greyPixels({ width, height }: { width: number; height: number }): Buffer {
  return deflateSync(Buffer.alloc((width + 1) * height, 0));
}

/** A valid zlib stream of that many zeros, made without holding them. */
export function deflatedZeros(bytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(ZERO_BLOCK_BYTES), { finishFlush: constants.Z_FULL_FLUSH, level: 9 });
  const whole = Math.floor(bytes / ZERO_BLOCK_BYTES);
  const rest = deflateRawSync(Buffer.alloc(bytes - whole * ZERO_BLOCK_BYTES));
  const adler = Buffer.alloc(4);
  adler.writeUInt32BE((bytes % ADLER_MODULUS) * 65536 + 1);
  return Buffer.concat([Buffer.of(0x78, 0xda), ...Array.from({ length: whole }, () => block), rest, adler]);
}
