import type { Pixels } from './decode-png.ts';

const MAX_WIDTH = 480;
const MAX_HEIGHT = 360;
/** Six levels of each channel: 216 colors, which every sixel terminal has. */
const LEVELS = 6;
const BAND = 6;
const PERCENT = 100 / (LEVELS - 1);

/** The picture as sixels, made smaller to fit. Transparent pixels stay empty. */
export function encodeSixel(picture: Pixels): string {
  const scale = Math.min(1, MAX_WIDTH / picture.width, MAX_HEIGHT / picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const colors = quantize(picture, width, height);
  const bands: string[] = [];
  const used = new Set<number>();
  for (let top = 0; top < height; top += BAND) {
    const inBand = new Set(colors.subarray(top * width, Math.min(height, top + BAND) * width));
    inBand.delete(-1);
    const lines = [...inBand].map((color) => {
      used.add(color);
      return `#${color}${renderLine(colors, { color, top, width, height })}`;
    });
    bands.push(lines.join('$'));
  }
  const palette = [...used].map(
    (color) =>
      `#${color};2;${levelsOf(color)
        .map((level) => level * PERCENT)
        .join(';')}`,
  );
  return `\x1bP0;1q"1;1;${width};${height}${palette.join('')}${bands.join('-')}\x1b\\`;
}

function quantize({ rgba, ...size }: Pixels, width: number, height: number): Int16Array {
  const colors = new Int16Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const from = Math.floor((y * size.height) / height) * size.width + Math.floor((x * size.width) / width);
      const [red, green, blue, alpha] = rgba.subarray(from * 4, from * 4 + 4);
      const level = (value: number) => Math.round((value / 255) * (LEVELS - 1));
      colors[y * width + x] = alpha! < 128 ? -1 : level(red!) * LEVELS * LEVELS + level(green!) * LEVELS + level(blue!);
    }
  }
  return colors;
}

const levelsOf = (color: number) => [
  Math.floor(color / (LEVELS * LEVELS)),
  Math.floor(color / LEVELS) % LEVELS,
  color % LEVELS,
];

/** One color of a band of six rows. Repeats are counted. */
function renderLine(
  colors: Int16Array,
  { color, top, width, height }: { color: number; top: number; width: number; height: number },
): string {
  let line = '';
  let last = '';
  let count = 0;
  const flush = () => {
    line += count > 3 ? `!${count}${last}` : last.repeat(count);
  };
  for (let x = 0; x < width; x += 1) {
    let bits = 0;
    for (let row = 0; row < BAND && top + row < height; row += 1) {
      if (colors[(top + row) * width + x] === color) bits |= 1 << row;
    }
    const sixel = String.fromCharCode(63 + bits);
    if (sixel !== last) {
      flush();
      last = sixel;
      count = 0;
    }
    count += 1;
  }
  flush();
  return line;
}
