import { open } from 'node:fs/promises';

/** Contains the size in every accepted format; in a JPEG it follows the metadata. */
const HEAD_BYTES = 256 * 1024;
const START_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/**
 * Estimates the pixels of a picture from its first bytes, to predict the work. Null if they do not contain the size, or
 * if there are several frames. Facts about the file come from the confined process only.
 */
export async function measurePicture(path: string): Promise<number | null> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
  const head = buffer.subarray(0, bytesRead);
  try {
    const size = sizeOfPng(head) ?? sizeOfWebp(head) ?? sizeOfJpeg(head);
    return size === null ? null : size.width * size.height;
  } catch (error) {
    // Truncated inside the header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOfPng(head: Buffer): Size | null {
  if (head.toString('latin1', 1, 4) !== 'PNG' || head.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function sizeOfWebp(head: Buffer): Size | null {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP') return null;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X': {
      const isAnimated = (head.readUInt8(20) & 0x02) !== 0;
      return isAnimated ? null : { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    }
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

function sizeOfJpeg(head: Buffer): Size | null {
  if (head.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= head.length; ) {
    const marker = head.readUInt8(at + 1);
    if (head.readUInt8(at) !== 0xff || marker === 0xda) return null;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (START_OF_FRAME.has(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}
