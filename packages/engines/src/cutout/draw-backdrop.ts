import sharp from 'sharp';
import type { Picture } from '../image/picture.ts';
import { seededRandom } from '../seeded-random.ts';

export type Colour = readonly [red: number, green: number, blue: number];

/** The colours of each `palette` value: of a backdrop in the light and in the shade. */
export const PALETTES: Readonly<Record<string, { light: Colour; shade: Colour }>> = {
  white: { light: [255, 255, 255], shade: [222, 224, 228] },
  grey: { light: [206, 209, 214], shade: [128, 133, 141] },
  black: { light: [62, 64, 70], shade: [12, 12, 15] },
  blue: { light: [168, 205, 240], shade: [58, 104, 168] },
  green: { light: [190, 222, 188], shade: [70, 124, 88] },
  sand: { light: [243, 229, 206], shade: [193, 160, 118] },
  rose: { light: [250, 218, 220], shade: [204, 130, 143] },
  violet: { light: [214, 200, 240], shade: [104, 84, 160] },
};

export function mixColours(from: Colour, to: Colour, part: number): Colour {
  const at = Math.min(1, Math.max(0, part));
  return [from[0] + (to[0] - from[0]) * at, from[1] + (to[1] - from[1]) * at, from[2] + (to[2] - from[2]) * at];
}

/** Blurred lights are drawn this much smaller and then enlarged. */
const BOKEH_SHRINK = 3;
const BOKEH_DISCS = 46;
const BOKEH_BLUR_PER_SIDE = 0.004;
/** Where the floor of a backdrop starts to curve into the wall, and where the curve ends. */
const [FLOOR_FROM, FLOOR_TO] = [0.62, 0.84];

type Shade = (x: number, y: number) => Colour;

/** A generated background: `plain`, `gradient`, `studio`, `spot` or `bokeh` in one of the palettes. */
export async function drawBackdrop(options: {
  style: string;
  palette: string;
  width: number;
  height: number;
  seed: number;
}): Promise<Picture> {
  const { style, width, height, seed } = options;
  const { light, shade } = PALETTES[options.palette] ?? PALETTES['white']!;
  if (style === 'bokeh') return drawBokeh({ light, shade, width, height, seed });
  const ratio = width / height;
  const shades: Record<string, Shade> = {
    plain: () => light,
    gradient: (x, y) => mixColours(light, shade, 0.15 * x + 0.85 * y),
    // A wall lit from above the middle, and a floor that reflects the light.
    studio: (x, y) => {
      const wall = Math.hypot((x - 0.5) * ratio * 0.9, (y - 0.32) * 1.15);
      const floor = Math.min(1, Math.max(0, (y - FLOOR_FROM) / (FLOOR_TO - FLOOR_FROM)));
      const ease = floor * floor * (3 - 2 * floor);
      return mixColours(light, shade, wall * 0.85 * (1 - ease) + ease * (0.12 + 0.25 * Math.abs(x - 0.5)));
    },
    spot: (x, y) => mixColours(light, shade, 1.75 * Math.hypot((x - 0.5) * ratio, (y - 0.55) * 1.05)),
  };
  return { rgb: fill({ width, height, seed, shade: shades[style] ?? shades['plain']! }), width, height };
}

/** Dithering by half a step, without which slow gradients would show bands. */
function fill(options: { width: number; height: number; seed: number; shade: Shade }): Buffer {
  const { width, height, shade } = options;
  const random = seededRandom(options.seed);
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const colour = shade((x + 0.5) / width, (y + 0.5) / height);
      const grain = random();
      for (let channel = 0; channel < 3; channel++) {
        const value = colour[channel]!;
        rgb[at + channel] = Math.min(255, Number.isInteger(value) ? value : Math.floor(value + grain));
      }
    }
  }
  return rgb;
}

async function drawBokeh(options: {
  light: Colour;
  shade: Colour;
  width: number;
  height: number;
  seed: number;
}): Promise<Picture> {
  const { light, shade, seed } = options;
  const [width, height] = [Math.ceil(options.width / BOKEH_SHRINK), Math.ceil(options.height / BOKEH_SHRINK)];
  const deep = mixColours(shade, [0, 0, 0], 0.45);
  const rgb = fill({ width, height, seed, shade: (_x, y) => mixColours(shade, deep, 0.2 + 0.8 * y) });
  const random = seededRandom(seed + 1);
  const side = Math.max(width, height);
  for (let i = 0; i < BOKEH_DISCS; i++) {
    const [centreX, centreY] = [random() * width, random() ** 1.3 * height];
    const radius = side * (0.015 + 0.055 * random() ** 2);
    const strength = 0.12 + 0.4 * random() ** 2;
    const tone = mixColours(light, [255, 244, 220], random() * 0.7);
    for (let y = Math.max(0, Math.floor(centreY - radius)); y < Math.min(height, centreY + radius); y++) {
      for (let x = Math.max(0, Math.floor(centreX - radius)); x < Math.min(width, centreX + radius); x++) {
        const distance = Math.hypot(x - centreX, y - centreY) / radius;
        if (distance >= 1) continue;
        // A lens renders the rim of a light slightly brighter than its middle.
        const part = strength * (0.75 + 0.25 * distance ** 4) * Math.min(1, (1 - distance) * radius * 0.5);
        for (let channel = 0; channel < 3; channel++) {
          const at = (y * width + x) * 3 + channel;
          rgb[at] = Math.round(rgb[at]! + (tone[channel]! - rgb[at]!) * part);
        }
      }
    }
  }
  const soft = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize({ width: options.width, height: options.height, fit: 'fill', kernel: 'cubic' })
    .blur(Math.max(0.5, Math.max(options.width, options.height) * BOKEH_BLUR_PER_SIDE))
    .raw()
    .toBuffer();
  return { rgb: soft, width: options.width, height: options.height };
}
