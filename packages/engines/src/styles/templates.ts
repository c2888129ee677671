import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { loadPicture } from './run-filter.ts';

/** An image cropped around its salient part to fill a rectangle of a canvas. */
export async function pasteCell(
  path: string,
  cell: { left: number; top: number; width: number; height: number },
): Promise<OverlayOptions> {
  const input = await sharp(path)
    .rotate()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(cell.width, cell.height, { fit: 'cover', position: 'attention' })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { input, left: cell.left, top: cell.top };
}

const CELL = 420;
const SHEET_GAP = 20;
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
  const side = COLUMNS * (CELL + SHEET_GAP) + SHEET_GAP;
  const cells = [];
  for (const [index, tone] of TONES.entries()) {
    const left = SHEET_GAP + (index % COLUMNS) * (CELL + SHEET_GAP);
    const top = SHEET_GAP + Math.floor(index / COLUMNS) * (CELL + SHEET_GAP);
    cells.push({ input: await tone(sharp(base)).toColourspace('srgb').png().toBuffer(), left, top });
  }
  return sharp({ create: { width: side, height: side, channels: 3, background: '#101010' } }).composite(cells);
}

const FRAME = { width: 720, height: 480 };
const STRIP_GAP = 28;
const EDGE = 92;
const HOLE = { width: 34, height: 46, step: 74, radius: 8 };

/** The images as frames of a 35 mm film strip. A single image fills three frames. */
export async function filmStrip(paths: readonly string[]): Promise<Sharp> {
  const frames = paths.length === 1 ? [paths[0]!, paths[0]!, paths[0]!] : paths;
  const width = frames.length * (FRAME.width + STRIP_GAP) + STRIP_GAP;
  const height = FRAME.height + EDGE * 2;
  const cells = [];
  for (const [index, path] of frames.entries())
    cells.push(await pasteCell(path, { left: STRIP_GAP + index * (FRAME.width + STRIP_GAP), top: EDGE, ...FRAME }));
  return sharp({ create: { width, height, channels: 3, background: '#14110f' } }).composite([
    ...cells,
    { input: drawEdges({ width, height, frames: frames.length }) },
  ]);
}

function drawEdges({ width, height, frames }: { width: number; height: number; frames: number }): Buffer {
  const holes: string[] = [];
  for (let x = HOLE.step / 2; x < width; x += HOLE.step) {
    for (const y of [EDGE / 2, height - EDGE / 2]) {
      holes.push(
        `<rect x="${x - HOLE.width / 2}" y="${y - HOLE.height / 2}" width="${HOLE.width}" height="${HOLE.height}" rx="${HOLE.radius}"/>`,
      );
    }
  }
  const marks = Array.from({ length: frames - 1 }, (_, index) => {
    const x = STRIP_GAP / 2 + (index + 1) * (FRAME.width + STRIP_GAP);
    return `<path d="M${x} ${EDGE + 8}v${FRAME.height - 16}" stroke="#e9a23b" stroke-opacity="0.35" stroke-width="2"/>`;
  });
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g fill="#f4efe6">${holes.join('')}</g>${marks.join('')}</svg>`,
  );
}

const MAX_SIDE = 1_200;
/** Relative to the longest side. */
const MAT = 0.11;
const MOULDING = 0.035;
const WALL = 0.14;

/** The image with a white mat in a dark wooden frame on a wall. */
export async function galleryFrame(paths: readonly string[]): Promise<Sharp> {
  const { picture, width, height } = await loadPicture({ path: paths[0]!, maxSide: MAX_SIDE });
  const side = Math.max(width, height);
  const [mat, wood, wall] = [MAT, MOULDING, WALL].map((part) => Math.round(side * part)) as [number, number, number];
  const inset = wall + wood + mat;
  const size = { width: width + inset * 2, height: height + inset * 2 };
  return sharp(Buffer.from(drawWall({ size, mat, wood, wall }))).composite([
    { input: await picture.png().toBuffer(), left: inset, top: inset },
    { input: Buffer.from(drawBevel({ size, inset, width, height })) },
  ]);
}

interface Parts {
  readonly size: { readonly width: number; readonly height: number };
  readonly mat: number;
  readonly wood: number;
  readonly wall: number;
}

function drawWall({ size, mat, wood, wall }: Parts): string {
  const box = (from: number) =>
    `x="${from}" y="${from}" width="${size.width - from * 2}" height="${size.height - from * 2}"`;
  const blur = Math.round(mat / 3);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><defs>` +
    '<linearGradient id="wall" x2="0.4" y2="1"><stop stop-color="#efeae2"/><stop offset="1" stop-color="#cfc6b8"/></linearGradient>' +
    '<linearGradient id="wood" x2="1" y2="1"><stop stop-color="#6b4a30"/><stop offset="0.5" stop-color="#3f2a1a"/><stop offset="1" stop-color="#2a1b10"/></linearGradient>' +
    `<filter id="soft" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="${blur}"/></filter></defs>` +
    '<rect width="100%" height="100%" fill="url(#wall)"/>' +
    `<rect ${box(wall)} fill="#000" fill-opacity="0.45" filter="url(#soft)" transform="translate(${blur} ${blur * 2})"/>` +
    `<rect ${box(wall)} fill="url(#wood)"/>` +
    `<rect ${box(wall + Math.round(wood * 0.3))} fill="none" stroke="#8a6444" stroke-opacity="0.6" stroke-width="${Math.max(1, Math.round(wood * 0.08))}"/>` +
    `<rect ${box(wall + wood)} fill="#f8f6f1"/></svg>`
  );
}

function drawBevel(options: { size: Parts['size']; inset: number; width: number; height: number }): string {
  const { size, inset, width, height } = options;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">` +
    `<rect x="${inset - 3}" y="${inset - 3}" width="${width + 6}" height="${height + 6}" fill="none" stroke="#b9b2a6" stroke-width="3"/></svg>`
  );
}

const PHOTO = 520;
const BORDER = 36;
const FOOT = 130;
const CARD = { width: PHOTO + BORDER * 2, height: PHOTO + BORDER + FOOT };
const TURNS_DEGREES = [-4, 5, -2, 3] as const;
const SHADOW_BLUR = 14;
const SHADOW_PAD = 60;
const MARGIN = 240;
const TABLE = '#d9cfc1';

/** Each image as a slightly rotated instant print with a shadow on a table. */
export async function polaroid(paths: readonly string[]): Promise<Sharp> {
  const columns = paths.length === 4 ? 2 : paths.length;
  const rows = Math.ceil(paths.length / columns);
  const cell = { width: CARD.width + MARGIN, height: CARD.height + MARGIN };
  const layers: OverlayOptions[] = [];
  for (const [index, path] of paths.entries()) {
    const centre = {
      x: (index % columns) * cell.width + cell.width / 2,
      y: Math.floor(index / columns) * cell.height + cell.height / 2,
    };
    for (const layer of await printCard(path, TURNS_DEGREES[index % TURNS_DEGREES.length]!)) {
      const { width, height } = layer.size;
      const [left, top] = [Math.round(centre.x - width / 2), Math.round(centre.y - height / 2) + layer.drop];
      layers.push({ input: layer.input, left, top });
    }
  }
  return sharp({
    create: { width: columns * cell.width, height: rows * cell.height, channels: 3, background: TABLE },
  }).composite(layers);
}

async function printCard(path: string, degrees: number) {
  const card = await sharp({ create: { ...CARD, channels: 4, background: '#fbfaf6' } })
    .composite([await pasteCell(path, { left: BORDER, top: BORDER, width: PHOTO, height: PHOTO })])
    .png()
    .toBuffer();
  const clear = { r: 0, g: 0, b: 0, alpha: 0 };
  const turned = await sharp(card).rotate(degrees, { background: clear }).png().toBuffer({ resolveWithObject: true });
  const dark = await sharp({ create: { ...CARD, channels: 4, background: { r: 30, g: 22, b: 12, alpha: 0.5 } } })
    .png()
    .toBuffer();
  const padding = { top: SHADOW_PAD, bottom: SHADOW_PAD, left: SHADOW_PAD, right: SHADOW_PAD, background: clear };
  const wide = await sharp(await sharp(dark).rotate(degrees, { background: clear }).png().toBuffer())
    .extend(padding)
    .png()
    .toBuffer();
  const shadow = await sharp(wide).blur(SHADOW_BLUR).png().toBuffer({ resolveWithObject: true });
  return [
    { input: shadow.data, size: shadow.info, drop: 14 },
    { input: turned.data, size: turned.info, drop: 0 },
  ];
}

const PAIR_GAP = 24;
const ROW_HEIGHT = 900;
const MIN_CELL_WIDTH = 500;
const MAX_CELL_WIDTH = 1_500;
const MAX_WIDTH = 3_200;

/** The images in one row of equal height, each in its own aspect ratio, with an even white frame. */
export async function sideBySide(paths: readonly string[]): Promise<Sharp> {
  const shapes: number[] = [];
  for (const path of paths) {
    const { autoOrient } = await sharp(path).metadata();
    shapes.push(autoOrient.width / autoOrient.height);
  }
  const wanted = shapes.map((shape) => Math.min(MAX_CELL_WIDTH, Math.max(MIN_CELL_WIDTH, shape * ROW_HEIGHT)));
  const total = wanted.reduce((sum, width) => sum + width, 0);
  const room = MAX_WIDTH - PAIR_GAP * (paths.length + 1);
  const shrink = Math.min(1, room / total);
  const height = Math.round(ROW_HEIGHT * shrink);
  const cells = [];
  let left = PAIR_GAP;
  for (const [index, path] of paths.entries()) {
    const width = Math.round(wanted[index]! * shrink);
    cells.push(await pasteCell(path, { left, top: PAIR_GAP, width, height }));
    left += width + PAIR_GAP;
  }
  return sharp({
    create: { width: left, height: height + PAIR_GAP * 2, channels: 3, background: '#ffffff' },
  }).composite(cells);
}
