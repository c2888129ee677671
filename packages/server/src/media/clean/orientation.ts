const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const UPRIGHT = 1;
const MAX_TAGS = 512;

/** The orientation in EXIF (a TIFF structure); upright when it is missing. */
export function readOrientation(exif: Buffer): number {
  const order = exif.toString('latin1', 0, 2);
  if (exif.length < 8 || (order !== 'II' && order !== 'MM')) return UPRIGHT;
  const short = (at: number) => (order === 'II' ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const start = order === 'II' ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  if (start + 2 > exif.length) return UPRIGHT;
  const tags = Math.min(short(start), MAX_TAGS);
  for (let tag = 0; tag < tags; tag++) {
    const at = start + 2 + tag * 12;
    if (at + 12 > exif.length) return UPRIGHT;
    if (short(at) === ORIENTATION_TAG && short(at + 2) === SHORT) {
      const orientation = short(at + 8);
      return orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT;
    }
  }
  return UPRIGHT;
}

/** EXIF with only the orientation, or null for an upright picture. */
export function minimalExif(orientation: number): Buffer | null {
  if (orientation === UPRIGHT) return null;
  const exif = Buffer.alloc(26);
  exif.write('MM', 0, 'latin1');
  exif.writeUInt16BE(42, 2);
  exif.writeUInt32BE(8, 4);
  exif.writeUInt16BE(1, 8);
  exif.writeUInt16BE(ORIENTATION_TAG, 10);
  exif.writeUInt16BE(SHORT, 12);
  exif.writeUInt32BE(1, 14);
  exif.writeUInt16BE(orientation, 18);
  return exif;
}
