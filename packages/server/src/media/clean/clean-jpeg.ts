import { ProbeRefusal } from '../probe/probe-protocol.ts';
import { BLOCK_BYTES, type FileCopier } from './file-copier.ts';
import { minimalExif, readOrientation } from './orientation.ts';

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
const APP15 = 0xef;
const COMMENT = 0xfe;

const EXIF_NAME = 'Exif\0\0';
const COLOUR_PROFILE_NAME = 'ICC_PROFILE\0';
const MAX_SEGMENTS = 10_000;

/** Copies what the picture needs: tables, scans, colour profile and orientation. Drops data after its end. */
export async function cleanJpeg(files: FileCopier): Promise<void> {
  let at = 2;
  let turned = false;
  files.write(Buffer.of(0xff, SOI));

  for (let segments = 0; segments < MAX_SEGMENTS; segments++) {
    const [lead, marker] = await files.read(at, 2);
    if (lead !== 0xff) throw new ProbeRefusal('The JPEG is damaged.');
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) {
      files.write(Buffer.of(0xff, EOI));
      return;
    }
    const length = (await files.read(at + 2, 2)).readUInt16BE(0);
    if (length < 2) throw new ProbeRefusal('The JPEG is damaged.');

    if (marker === APP1) {
      const content = await files.read(at + 4, length - 2);
      const isExif = content.toString('latin1', 0, EXIF_NAME.length) === EXIF_NAME;
      const exif = isExif && !turned ? minimalExif(readOrientation(content.subarray(EXIF_NAME.length))) : null;
      if (exif) {
        files.write(segment(APP1, Buffer.concat([Buffer.from(EXIF_NAME, 'latin1'), exif])));
        turned = true;
      }
    } else if (marker === APP0) {
      const content = await files.read(at + 4, length - 2);
      // The density, without the thumbnail that may follow it.
      if (content.length >= 14 && content.toString('latin1', 0, 5) === 'JFIF\0') {
        files.write(segment(APP0, Buffer.concat([content.subarray(0, 12), Buffer.of(0, 0)])));
      }
    } else if (isPicture(marker!) || (await isColour(files, { at, length, marker: marker! }))) {
      files.copy(at, length + 2);
    }
    at += length + 2;
    if (marker === SOS) {
      const end = await findScanEnd(files, at);
      files.copy(at, end - at);
      at = end;
    }
  }
  throw new ProbeRefusal('The JPEG has too many parts.');
}

function isPicture(marker: number): boolean {
  return marker >= 0xc0 && marker < 0xff && !(marker >= APP0 && marker <= APP15) && marker !== COMMENT;
}

async function isColour(
  files: FileCopier,
  { at, length, marker }: { at: number; length: number; marker: number },
): Promise<boolean> {
  if (marker !== APP2 && marker !== APP14) return false;
  const name = (await files.read(at + 4, Math.min(12, length - 2))).toString('latin1');
  return marker === APP2 ? name === COLOUR_PROFILE_NAME : name.startsWith('Adobe');
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** Where the next marker begins. Stuffed bytes and restarts belong to the scan. */
async function findScanEnd(files: FileCopier, start: number): Promise<number> {
  for (let at = start; at + 1 < files.size; ) {
    const block = await files.read(at, Math.min(BLOCK_BYTES, files.size - at));
    let place = block.indexOf(0xff);
    while (place !== -1 && place + 1 < block.length) {
      const next = block[place + 1]!;
      const inScan = next === 0x00 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
      if (!inScan) return at + place;
      place = block.indexOf(0xff, next === 0xff ? place + 1 : place + 2);
    }
    // The last byte is checked again together with the next block.
    at += Math.max(1, block.length - 1);
  }
  throw new ProbeRefusal('The JPEG has no end marker.');
}
