import { faceRings, type Point } from './face-mesh.ts';

/** The upper and lower edge of an open mouth, as heights over the relative width. */
interface MouthEdges {
  readonly left: number;
  readonly right: number;
  upper(part: number): number;
  lower(part: number): number;
}

type Colour = readonly [number, number, number];

const DARK: Colour = [52, 21, 19];
const TONGUE: Colour = [122, 58, 56];
/** Teeth that the image does not show: their length, and their brightness relative to the skin. */
const TEETH_HEIGHT = 0.075;
const TEETH: Colour = [236, 224, 206];
/** A smaller gap shows nothing worth keeping. */
const SHOWN_GAP = 0.045;
const RIM = 0.018;

export function readMouthEdges(points: readonly Point[]): MouthEdges {
  const ring = faceRings.innerLips.map((index) => points[index]!);
  const corners = ring.length / 2;
  const [left, right] = [ring[0]!.x, ring[corners]!.x];
  const upper = ring.slice(0, corners + 1);
  const lower = [ring[0]!, ...ring.slice(corners).reverse()];
  return {
    left,
    right,
    upper: (part) => heightAt(upper, left + part * (right - left)),
    lower: (part) => heightAt(lower, left + part * (right - left)),
  };
}

function heightAt(line: readonly Point[], x: number): number {
  for (let i = 1; i < line.length; i++) {
    const [from, to] = [line[i - 1]!, line[i]!];
    if (x <= to.x || i === line.length - 1) {
      const part = to.x === from.x ? 0 : Math.min(1, Math.max(0, (x - from.x) / (to.x - from.x)));
      return from.y + (to.y - from.y) * part;
    }
  }
  return line[0]!.y;
}

/**
 * The colour inside an open mouth. The upper teeth do not move with the lips: where the image shows them they stay under
 * the upper lip, with darkness below.
 */
export function paintMouth(options: {
  at: Point;
  now: MouthEdges;
  before: MouthEdges;
  /** The colour of the image at a point in face coordinates. */
  look: (at: Point) => Colour;
  /** How bright the skin around is, 0 to 1. */
  light: number;
}): Colour {
  const { at, now, before, look, light } = options;
  const part = Math.min(1, Math.max(0, (at.x - now.left) / (now.right - now.left)));
  const [top, bottom] = [now.upper(part), now.lower(part)];
  const [depth, gap] = [at.y - top, Math.max(1e-4, bottom - top)];
  const aside = Math.abs(part - 0.5) * 2;
  const shade = (1 - 0.55 * aside ** 2) * light;

  const [was, shown] = [before.left + part * (before.right - before.left), before.lower(part) - before.upper(part)];
  // What the image shows between the lips stays until they open further.
  const opened = smooth((gap - shown) / 0.045);
  const still = look({ x: was, y: before.upper(part) + depth * Math.min(1, Math.max(0, shown) / gap) });
  if (opened === 0) return still;

  let colour = scale(DARK, shade);
  const tongue = smooth((gap - 0.09) / 0.1) * smooth((depth / gap - 0.45) / 0.35) * smooth((0.75 - aside) / 0.5);
  colour = mix(colour, scale(TONGUE, light), 0.75 * tongue);
  if (before.lower(0.5) - before.upper(0.5) > SHOWN_GAP) {
    const kept = 1 - opened * smooth((depth / Math.max(shown, 1e-4) - 0.72) / 0.2);
    return mix(colour, look({ x: was, y: before.upper(part) + depth }), kept);
  }
  const teeth = smooth((gap - 0.02) / 0.03) * smooth((TEETH_HEIGHT - depth) / 0.02) * smooth((0.8 - aside) / 0.35);
  // Each tooth is slightly darker at its sides, and the lip casts a shadow on all.
  const between = 0.93 + 0.07 * Math.abs(Math.sin(part * Math.PI * 7)) ** 0.5;
  const lip = 0.7 + 0.3 * smooth(depth / 0.035);
  colour = mix(colour, scale(TEETH, shade * between * lip), teeth);
  // The rim of the lips turns inwards: their own colour, in shadow, before the dark begins.
  const rim = smooth(Math.min(depth, bottom - at.y) / RIM) * smooth((1 - aside) / 0.2);
  const lips = scale(look({ x: was, y: before.upper(part) - RIM }), 0.62);
  return mix(still, mix(lips, colour, rim), opened);
}

function smooth(part: number): number {
  const t = Math.min(1, Math.max(0, part));
  return t * t * (3 - 2 * t);
}

function scale([r, g, b]: Colour, by: number): Colour {
  return [r * by, g * by, b * by];
}

function mix(one: Colour, other: Colour, part: number): Colour {
  return [
    one[0] + (other[0] - one[0]) * part,
    one[1] + (other[1] - one[1]) * part,
    one[2] + (other[2] - one[2]) * part,
  ];
}
