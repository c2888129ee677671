import { crc32 } from 'node:zlib';
import { ProbeRefusal } from '../probe/probe-protocol.ts';
import type { FileCopier } from './file-copier.ts';
import { minimalExif, readOrientation } from './orientation.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum around a chunk's content. */
const CHUNK_OVERHEAD_BYTES = 12;
/** Encoders write chunks of 8 KB and more: 20 MB of them are 2,560. */
const MAX_CHUNKS = 16_384;
const MAX_EXIF_BYTES = 1024 * 1024;

/**
 * Keeps the picture and its colours. Drops texts, times, unknown chunks and further frames of an animation:
 * nothing here has decoded those, and no model uses more than the first.
 */
const KEPT = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'tRNS', 'bKGD', 'pHYs'],
  ...['cHRM', 'gAMA', 'iCCP', 'sBIT', 'sRGB', 'cICP', 'mDCV', 'cLLI'],
]);

export async function cleanPng(files: FileCopier): Promise<void> {
  files.copy(0, SIGNATURE_BYTES);
  let at = SIGNATURE_BYTES;
  let turned = false;
  /** Adjacent kept chunks are copied together. */
  let keptFrom = at;
  const flush = () => files.copy(keptFrom, at - keptFrom);

  for (let chunks = 0; chunks < MAX_CHUNKS; chunks++) {
    const head = await files.read(at, 8);
    const length = head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    const end = at + length + CHUNK_OVERHEAD_BYTES;
    if (end > files.size) throw new ProbeRefusal('The PNG is truncated.');
    if (type === 'IEND') {
      flush();
      files.write(chunk('IEND', Buffer.alloc(0)));
      return;
    }
    if (!KEPT.has(type)) {
      flush();
      if (type === 'eXIf' && !turned && length <= MAX_EXIF_BYTES) {
        const exif = minimalExif(readOrientation(await files.read(at + 8, length)));
        if (exif) files.write(chunk('eXIf', exif));
        turned = exif !== null;
      }
      keptFrom = end;
    }
    at = end;
  }
  throw new ProbeRefusal('The PNG has too many chunks.');
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const whole = Buffer.alloc(content.length + CHUNK_OVERHEAD_BYTES);
  whole.writeUInt32BE(content.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), whole.length - 4);
  return whole;
}
