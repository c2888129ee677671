import sharp, { type Sharp } from 'sharp';

const CELL = 420;
const GAP = 20;
const COLUMNS = 3;

/** One image in nine tones, as a contact sheet. */
const TONES: ReadonlyArray<(picture: Sharp) => Sharp> = [
  (picture) => picture,
  (picture) => picture.modulate({ saturation: 1.6 }),
  (picture) => picture.linear(1.25, -18),
  (picture) => picture.linear([1.08, 1, 0.86], [10, 2, -6]),
  (picture) => picture.linear([0.88, 0.98, 1.12], [0, 0, 8]),
  (picture) => picture.modulate({ saturation: 0.45 }).linear(0.9, 22),
  (picture) => picture.greyscale(),
  (picture) => picture.greyscale().linear(1.45, -50),
  (picture) => picture.tint({ r: 190, g: 140, b: 90 }),
];

export async function contactSheet(paths: readonly string[]): Promise<Sharp> {
  const base = await sharp(paths[0]!)
    .rotate()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(CELL, CELL, { fit: 'cover', position: 'attention' })
    .png()
    .toBuffer();
  const side = COLUMNS * (CELL + GAP) + GAP;
  const cells = [];
  for (const [index, tone] of TONES.entries()) {
    const left = GAP + (index % COLUMNS) * (CELL + GAP);
    const top = GAP + Math.floor(index / COLUMNS) * (CELL + GAP);
    cells.push({ input: await tone(sharp(base)).toColourspace('srgb').png().toBuffer(), left, top });
  }
  return sharp({ create: { width: side, height: side, channels: 3, background: '#101010' } }).composite(cells);
}
