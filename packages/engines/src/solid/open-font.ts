import { readFile } from 'node:fs/promises';
import type { Contour } from '../mesh/solid-model.ts';

const COMPOUND_DEPTH = 4;

export interface Font {
  /** The side of the square that letters are drawn in. */
  readonly unitsPerEm: number;
  readonly lineHeight: number;
  /** Undefined for a character that the font does not have. */
  glyph(codePoint: number): Glyph | undefined;
}

export interface Glyph {
  readonly contours: readonly Contour[];
  readonly advance: number;
}

interface Tables {
  readonly file: Buffer;
  start(tag: string): number;
}

/** Reads the outlines of a TrueType font: the tables cmap, glyf, loca and hmtx. */
export async function openFont(path: string, stepsPerCurve: number): Promise<Font> {
  const file = await readFile(path);
  const places = new Map<string, number>();
  for (let at = 12; at < 12 + file.readUInt16BE(4) * 16; at += 16) {
    places.set(file.toString('latin1', at, at + 4), file.readUInt32BE(at + 8));
  }
  const start = (tag: string): number => {
    const place = places.get(tag);
    if (place === undefined) throw new Error(`The font has no table ${tag}.`);
    return place;
  };
  const tables: Tables = { file, start };
  const glyphOf = openCharacterMap(tables);
  const advances = file.readUInt16BE(start('hhea') + 34);
  return {
    unitsPerEm: file.readUInt16BE(start('head') + 18),
    lineHeight: file.readInt16BE(start('hhea') + 4) - file.readInt16BE(start('hhea') + 6),
    glyph(codePoint) {
      const index = glyphOf(codePoint);
      if (index === 0) return undefined;
      const advance = file.readUInt16BE(start('hmtx') + Math.min(index, advances - 1) * 4);
      return { contours: readOutline({ tables, index, stepsPerCurve, depth: 0 }), advance };
    },
  };
}

/** Format 12 maps every letter, format 4 those of the basic plane. */
function openCharacterMap({ file, start }: Tables): (codePoint: number) => number {
  const cmap = start('cmap');
  const formats = new Map<number, number>();
  for (let at = 0; at < file.readUInt16BE(cmap + 2); at++) {
    const table = cmap + file.readUInt32BE(cmap + 8 + at * 8);
    formats.set(file.readUInt16BE(table), table);
  }
  const whole = formats.get(12);
  if (whole !== undefined) {
    return (codePoint) => {
      for (let at = whole + 16, end = at + file.readUInt32BE(whole + 12) * 12; at < end; at += 12) {
        if (codePoint > file.readUInt32BE(at + 4)) continue;
        const first = file.readUInt32BE(at);
        return codePoint < first ? 0 : file.readUInt32BE(at + 8) + codePoint - first;
      }
      return 0;
    };
  }
  const basic = formats.get(4);
  if (basic === undefined) throw new Error('The font has no supported character map.');
  const doubled = file.readUInt16BE(basic + 6);
  return (codePoint) => {
    for (let at = 0; at < doubled; at += 2) {
      if (codePoint > file.readUInt16BE(basic + 14 + at)) continue;
      const first = file.readUInt16BE(basic + 16 + doubled + at);
      if (codePoint < first) return 0;
      const shift = file.readUInt16BE(basic + 16 + 2 * doubled + at);
      const rangeAt = basic + 16 + 3 * doubled + at;
      const range = file.readUInt16BE(rangeAt);
      const found = range === 0 ? codePoint : file.readUInt16BE(rangeAt + range + (codePoint - first) * 2);
      return found === 0 ? 0 : (found + shift) & 0xffff;
    }
    return 0;
  };
}

function readOutline(options: { tables: Tables; index: number; stepsPerCurve: number; depth: number }): Contour[] {
  const { tables, index, stepsPerCurve, depth } = options;
  const { file, start } = tables;
  const long = file.readInt16BE(start('head') + 50) === 1;
  const offset = (of: number) =>
    long ? file.readUInt32BE(start('loca') + of * 4) : file.readUInt16BE(start('loca') + of * 2) * 2;
  if (offset(index) === offset(index + 1) || depth > COMPOUND_DEPTH) return [];
  const at = start('glyf') + offset(index);
  const count = file.readInt16BE(at);
  if (count >= 0) return readSimple(file, { at: at + 10, count, stepsPerCurve });

  const contours: Contour[] = [];
  for (let place = at + 10, flags = 0x20; (flags & 0x20) !== 0; ) {
    flags = file.readUInt16BE(place);
    const part = file.readUInt16BE(place + 2);
    const wide = (flags & 1) !== 0;
    const [dx, dy] = wide
      ? [file.readInt16BE(place + 4), file.readInt16BE(place + 6)]
      : [file.readInt8(place + 4), file.readInt8(place + 5)];
    place += wide ? 8 : 6;
    const read = () => {
      place += 2;
      return file.readInt16BE(place - 2) / 16_384;
    };
    let [a, b, c, d] = [1, 0, 0, 1];
    if ((flags & 0x08) !== 0) {
      a = read();
      d = a;
    } else if ((flags & 0x40) !== 0) [a, d] = [read(), read()];
    else if ((flags & 0x80) !== 0) [a, b, c, d] = [read(), read(), read(), read()];
    for (const contour of readOutline({ tables, index: part, stepsPerCurve, depth: depth + 1 })) {
      const moved: number[] = [];
      for (let point = 0; point < contour.length; point += 2) {
        const [x, y] = [contour[point]!, contour[point + 1]!];
        moved.push(a * x + c * y + dx, b * x + d * y + dy);
      }
      contours.push(moved);
    }
  }
  return contours;
}

interface Point {
  x: number;
  y: number;
  onCurve: boolean;
}

function readSimple(file: Buffer, options: { at: number; count: number; stepsPerCurve: number }): Contour[] {
  const ends = Array.from({ length: options.count }, (_, each) => file.readUInt16BE(options.at + each * 2));
  let at = options.at + options.count * 2;
  at += 2 + file.readUInt16BE(at);
  const total = (ends.at(-1) ?? -1) + 1;
  const flags: number[] = [];
  while (flags.length < total) {
    const flag = file[at++]!;
    const times = (flag & 8) === 0 ? 1 : file[at++]! + 1;
    for (let time = 0; time < times; time++) flags.push(flag);
  }
  const readAxis = (short: number, same: number) => {
    let value = 0;
    return flags.map((flag) => {
      if ((flag & short) !== 0) value += (flag & same) !== 0 ? file[at++]! : -file[at++]!;
      else if ((flag & same) === 0) {
        value += file.readInt16BE(at);
        at += 2;
      }
      return value;
    });
  };
  const xs = readAxis(2, 16);
  const ys = readAxis(4, 32);
  let first = 0;
  return ends.map((end) => {
    const points: Point[] = [];
    for (let each = first; each <= end; each++) {
      points.push({ x: xs[each]!, y: ys[each]!, onCurve: (flags[each]! & 1) !== 0 });
    }
    first = end + 1;
    return flattenPoints(points, options.stepsPerCurve);
  });
}

/** Between two off-curve points there is an implied on-curve point in the middle. */
function flattenPoints(points: readonly Point[], steps: number): Contour {
  const full: Point[] = [];
  points.forEach((point, at) => {
    full.push(point);
    const next = points[(at + 1) % points.length]!;
    if (!point.onCurve && !next.onCurve)
      full.push({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2, onCurve: true });
  });
  const from = full.findIndex(({ onCurve }) => onCurve);
  if (from < 0) return [];
  const contour: number[] = [];
  for (let step = 0; step < full.length; step++) {
    const point = full[(from + step) % full.length]!;
    if (point.onCurve) {
      contour.push(point.x, point.y);
      continue;
    }
    const before = full[(from + step - 1 + full.length) % full.length]!;
    const after = full[(from + step + 1) % full.length]!;
    for (let part = 1; part < steps; part++) {
      const t = part / steps;
      const [p, q, r] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
      contour.push(p * before.x + q * point.x + r * after.x, p * before.y + q * point.y + r * after.y);
    }
  }
  return contour;
}
