import { seededRandom } from '../seeded-random.ts';
import { clamp, type Noise, smooth } from './noise.ts';

/** Points of a skyline per pixel: its edge is smooth when drawn. */
export const POINTS_PER_PIXEL = 3;

/** The height of a skyline at each point, in pixels from the top of the image. */
export type Skyline = Float32Array;

export interface Stretch {
  readonly width: number;
  /** The image's shorter side, the unit of all lengths. */
  readonly size: number;
  readonly noise: Noise;
  /** Distinguishes the skylines of one image. */
  readonly lane: number;
}

export function raiseMountains(
  { width, size, noise, lane }: Stretch,
  options: { foot: number; rise: number; scale: number },
): Skyline {
  return trace(width, (x) => {
    const u = (x / size) * options.scale + lane * 13.7;
    const crests = noise.ridge(u, lane * 3.1, 8);
    const masses = 0.62 + 1.1 * noise.cloud(u * 0.55 + 50, lane * 1.7, 2);
    return options.foot - options.rise * size * clamp(1.75 * crests ** 1.7 * masses + 0.1, 0.02, 1.25);
  });
}

export function raiseHills(
  { width, size, noise, lane }: Stretch,
  options: { foot: number; rise: number; scale: number },
): Skyline {
  return trace(width, (x) => {
    const u = (x / size) * options.scale + lane * 9.1;
    return (
      options.foot -
      options.rise *
        size *
        (0.5 + 0.85 * noise.at(u, lane * 2.3) + 0.22 * noise.at(u * 2.3, lane + 8) + 0.012 * noise.at(u * 22, lane))
    );
  });
}

/** Long on the windward side, steep behind the crest. */
export function raiseDunes(
  { width, size, noise, lane }: Stretch,
  options: { foot: number; rise: number; scale: number },
): Skyline {
  return trace(width, (x) => {
    const u = (x / size) * options.scale + lane * 7.7;
    const place = u + 0.35 * noise.at(u * 0.6, lane * 4.1);
    const part = place - Math.floor(place);
    const crest = part < 0.68 ? smooth(0, 0.68, part) ** 1.1 : 1 - smooth(0.68, 1, part) ** 0.9;
    const tall = 0.55 + 0.45 * noise.at(Math.floor(place) * 3.7 + 0.4, lane);
    return options.foot - options.rise * size * (0.75 * crest * tall + 0.4 * noise.at(u * 0.5, lane + 20) + 0.25);
  });
}

/** Conifers on a ground line: each a ragged cone. `density` is trees per length of the image's side. */
export function plantConifers(
  ground: Skyline,
  { size, lane }: Stretch,
  options: { seed: number; tall: number; density: number; gaps?: (u: number) => number },
): Skyline {
  const random = seededRandom(options.seed * 31 + lane * 101);
  const points = Float32Array.from(ground);
  const count = Math.round((ground.length / POINTS_PER_PIXEL / size) * options.density);
  for (let tree = 0; tree < count; tree++) {
    const middle = random() * ground.length;
    const tall = options.tall * size * (0.5 + 0.6 * random() + 0.35 * random() ** 4);
    const thin = random();
    if (options.gaps && options.gaps(middle / POINTS_PER_PIXEL / size) < thin) continue;
    const wide = tall * (0.15 + 0.07 * random()) * POINTS_PER_PIXEL;
    const foot = ground[Math.floor(middle)]! + 0.02 * size;
    const tiers = 9 + Math.floor(random() * 6);
    for (let at = Math.max(0, Math.ceil(middle - wide)); at <= Math.min(ground.length - 1, middle + wide); at++) {
      const out = Math.abs(at - middle) / wide;
      // Branches widen in steps down the trunk: the skyline keeps the highest one that reaches this far.
      const tier = Math.ceil(out * tiers);
      const rag = (tier - out * tiers) * 0.9;
      const top = foot - tall * (1 - clamp((tier - 1 + rag * 0.55) / tiers) * 0.96);
      if (top < points[at]!) points[at] = top;
    }
  }
  return points;
}

/** Round trees, alone and in groups. */
export function plantCrowns(
  ground: Skyline,
  { size, lane, noise }: Stretch,
  options: { seed: number; tall: number; density: number },
): Skyline {
  const random = seededRandom(options.seed * 37 + lane * 211);
  const points = Float32Array.from(ground);
  const count = Math.round((ground.length / POINTS_PER_PIXEL / size) * options.density);
  for (let tree = 0; tree < count; tree++) {
    const middle = random() * ground.length;
    const radius = options.tall * size * (0.35 + 0.65 * random()) * 0.5;
    if (noise.cloud((middle / ground.length) * 5, lane + 3, 2) < 0.02 && random() > 0.12) continue;
    const reach = radius * POINTS_PER_PIXEL;
    const foot = ground[Math.floor(middle)]!;
    for (let at = Math.max(0, Math.ceil(middle - reach)); at <= Math.min(ground.length - 1, middle + reach); at++) {
      const out = (at - middle) / reach;
      const leaf = 1 + 0.13 * noise.at(at / (reach * 0.22), tree * 1.3);
      const top = foot - radius * (0.35 + 1.15 * Math.sqrt(Math.max(0, 1 - out * out)) * leaf);
      if (top < points[at]!) points[at] = top;
    }
  }
  return points;
}

function trace(width: number, height: (x: number) => number): Skyline {
  return Float32Array.from({ length: width * POINTS_PER_PIXEL }, (_, at) => height((at + 0.5) / POINTS_PER_PIXEL));
}
