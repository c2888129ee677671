import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { pasteCell } from './paste-cell.ts';

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
