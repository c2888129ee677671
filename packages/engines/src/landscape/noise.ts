import { seededRandom } from '../seeded-random.ts';

const TABLE = 1_024;

export interface Noise {
  /** About -1 to 1, smooth, different for every seed. */
  at(x: number, y: number): number;
  /** Several octaves of it, each half as strong and twice as fine. */
  cloud(x: number, y: number, octaves: number): number;
  /** 0 to 1 with sharp crests near 1. */
  ridge(x: number, y: number, octaves: number): number;
}

/** Gradient noise in the plane. */
export function openNoise(seed: number): Noise {
  const random = seededRandom(seed);
  const order = Array.from({ length: TABLE }, (_, at) => at);
  for (let at = TABLE - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  const shuffled = Uint16Array.from({ length: 2 * TABLE }, (_, at) => order[at % TABLE]!);
  const slopeX = Float64Array.from({ length: TABLE }, (_, each) => Math.cos((each / TABLE) * 2 * Math.PI));
  const slopeY = Float64Array.from({ length: TABLE }, (_, each) => Math.sin((each / TABLE) * 2 * Math.PI));

  function at(x: number, y: number): number {
    const column = Math.floor(x);
    const row = Math.floor(y);
    const fx = x - column;
    const fy = y - row;
    const ease = (t: number) => t * t * t * (t * (t * 6 - 15) + 10);
    const left = column & (TABLE - 1);
    const right = (column + 1) & (TABLE - 1);
    const top = row & (TABLE - 1);
    const bottom = (row + 1) & (TABLE - 1);
    const pull = (c: number, r: number, dx: number, dy: number) => {
      const slope = shuffled[shuffled[c]! + r]!;
      return slopeX[slope]! * dx + slopeY[slope]! * dy;
    };
    const u = ease(fx);
    const upper = pull(left, top, fx, fy) * (1 - u) + pull(right, top, fx - 1, fy) * u;
    const lower = pull(left, bottom, fx, fy - 1) * (1 - u) + pull(right, bottom, fx - 1, fy - 1) * u;
    return 1.5 * (upper + (lower - upper) * ease(fy));
  }
  function cloud(x: number, y: number, octaves: number): number {
    let sum = 0;
    let strength = 0.5;
    for (let octave = 0, scale = 1; octave < octaves; octave++, scale *= 2.03, strength /= 2) {
      sum += strength * at(x * scale + octave * 17.7, y * scale - octave * 9.3);
    }
    return sum;
  }
  function ridge(x: number, y: number, octaves: number): number {
    let sum = 0;
    let strength = 0.5;
    let before = 1;
    for (let octave = 0, scale = 1; octave < octaves; octave++, scale *= 2.07, strength /= 2) {
      const crest = 1 - Math.abs(at(x * scale + octave * 31.1, y * scale + octave * 5.9));
      before = crest * crest * Math.min(1, 0.3 + 0.9 * before);
      sum += strength * before;
    }
    return sum;
  }
  return { at, cloud, ridge };
}

export function clamp(value: number, low = 0, high = 1): number {
  return Math.max(low, Math.min(high, value));
}

export function smooth(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from));
  return t * t * (3 - 2 * t);
}
