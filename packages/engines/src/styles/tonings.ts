import sharp, { type Sharp } from 'sharp';
import { loadPicture } from './run-filter.ts';

const MAX_SIDE = 2_048;
const PIXEL_GRID = 96;
const PIXEL_COLOURS = 24;
const LEVELS = 256;

type Colour = readonly [red: number, green: number, blue: number];
const NIGHT: Colour = [28, 18, 78];
const CORAL: Colour = [240, 84, 98];
const CREAM: Colour = [255, 236, 200];

/** Looks that are computed per pixel. */
export const tonings = {
  duotone: async (path) => {
    const { picture } = await loadPicture({ path, maxSide: MAX_SIDE });
    const grey = await picture.greyscale().normalise().raw().toBuffer({ resolveWithObject: true });
    return mapTones(grey, [NIGHT, CORAL, CREAM]);
  },
  'film-negative': async (path) => {
    const { picture } = await loadPicture({ path, maxSide: MAX_SIDE });
    const inverted = await picture.negate({ alpha: false }).png().toBuffer();
    // The orange mask of colour film.
    return sharp(inverted).linear([0.78, 0.6, 0.42], [58, 32, 16]);
  },
  vintage: async (path) => {
    const { picture, width, height } = await loadPicture({ path, maxSide: MAX_SIDE });
    const faded = picture.modulate({ saturation: 0.72 }).linear([0.9, 0.84, 0.72], [28, 22, 26]);
    return sharp(await faded.png().toBuffer()).composite([{ input: vignette(width, height), blend: 'multiply' }]);
  },
  'pixel-art': async (path) => {
    const { picture, width, height } = await loadPicture({ path, maxSide: MAX_SIDE });
    const step = Math.max(1, Math.ceil(Math.max(width, height) / PIXEL_GRID));
    const grid = { width: Math.max(1, Math.round(width / step)), height: Math.max(1, Math.round(height / step)) };
    const small = await picture
      .modulate({ saturation: 1.25 })
      .resize(grid.width, grid.height, { fit: 'fill', kernel: 'lanczos3' })
      .sharpen()
      .png({ palette: true, colours: PIXEL_COLOURS, dither: 0 })
      .toBuffer();
    return sharp(small).resize(grid.width * step, grid.height * step, { kernel: 'nearest' });
  },
} as const satisfies Record<string, (path: string) => Promise<Sharp>>;

export type ToningName = keyof typeof tonings;

function mapTones(
  grey: { data: Buffer; info: { width: number; height: number; channels: number } },
  colours: readonly [Colour, Colour, Colour],
): Sharp {
  const { width, height, channels } = grey.info;
  const table = Array.from({ length: LEVELS }, (_, level) => {
    const place = (level / (LEVELS - 1)) * 2;
    const [from, to, part] = place < 1 ? [colours[0], colours[1], place] : [colours[1], colours[2], place - 1];
    return from.map((value, index) => Math.round(value + (to[index]! - value) * part));
  });
  const data = Buffer.alloc(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const tone = table[grey.data[pixel * channels]!]!;
    data.set(tone, pixel * 3);
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

function vignette(width: number, height: number): Buffer {
  return Buffer.from(
    `<svg width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg"><defs><radialGradient id="v" r="0.75">` +
      '<stop offset="0.55" stop-color="#fff"/><stop offset="1" stop-color="#6b5540"/></radialGradient></defs>' +
      `<rect width="${width}" height="${height}" fill="url(#v)"/></svg>`,
  );
}
