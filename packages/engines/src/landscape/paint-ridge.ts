import { blend, type Canvas, type Light, type Rgb, tint } from './landscape-light.ts';
import { clamp, type Noise, smooth } from './noise.ts';
import { POINTS_PER_PIXEL, type Skyline } from './raise-ridges.ts';

export type Matter = 'rock' | 'grass' | 'sand' | 'trees' | 'leaves';

export interface Ridge {
  readonly skyline: Skyline;
  readonly matter: Matter;
  /** 0 in the foreground, 1 where everything is haze. */
  readonly distance: number;
  /** Density of the mist at its foot, 0 to 1. */
  readonly mist: number;
  /** Height of the mist in pixels. */
  readonly mistDepth: number;
  /** The snow line, in pixels from the top. */
  readonly snowLine: number;
  /** The ridge ends here, in pixels from the top. */
  readonly foot: number;
  readonly lane: number;
}

const MATTER_COLOURS: Readonly<Record<Matter, Rgb>> = {
  rock: [0.5, 0.48, 0.48],
  grass: [0.42, 0.56, 0.26],
  sand: [0.93, 0.72, 0.45],
  trees: [0.16, 0.27, 0.2],
  leaves: [0.27, 0.4, 0.17],
};
const SNOW: Rgb = [0.97, 0.98, 1];

/** Paints one ridge over the canvas. */
export function paintRidge(
  canvas: Canvas,
  ridge: Ridge,
  options: { light: Light; noise: Noise; sunX: number; size: number; isNight: boolean },
): void {
  const { width, height, rgb } = canvas;
  const { skyline } = ridge;
  const bottom = Math.min(height, Math.ceil(ridge.foot));
  for (let x = 0; x < width; x++) {
    let top = Number.POSITIVE_INFINITY;
    let mean = 0;
    for (let point = 0; point < POINTS_PER_PIXEL; point++) {
      const at = skyline[x * POINTS_PER_PIXEL + point]!;
      top = Math.min(top, at);
      mean += at / POINTS_PER_PIXEL;
    }
    for (let y = Math.max(0, Math.floor(top)); y < bottom; y++) {
      let cover = 0;
      for (let point = 0; point < POINTS_PER_PIXEL; point++)
        cover += clamp(y + 1 - skyline[x * POINTS_PER_PIXEL + point]!) / POINTS_PER_PIXEL;
      if (cover <= 0) continue;
      const colour = colourAt(ridge, {
        ...options,
        sunFrom: options.sunX < width / 2 ? 1 : -1,
        x,
        y,
        below: y - mean,
        crest: mean,
      });
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++)
        rgb[at + channel]! += (colour[channel]! - rgb[at + channel]!) * cover;
    }
  }
}

interface Spot {
  readonly light: Light;
  readonly noise: Noise;
  readonly sunX: number;
  /** 1 when the light comes from the left, -1 from the right. */
  readonly sunFrom: 1 | -1;
  readonly size: number;
  readonly isNight: boolean;
  readonly x: number;
  readonly y: number;
  readonly below: number;
  readonly crest: number;
}

function colourAt(ridge: Ridge, spot: Spot): Rgb {
  const { light, size, x, y, below } = spot;
  const lit = litPart(ridge, spot);
  const base = snowy(ridge, spot) ?? MATTER_COLOURS[ridge.matter];
  const bright = spot.isNight ? 0.55 : 1.12;
  let colour = blend(tint(base, blend(light.shade, [1, 1, 1], spot.isNight ? 0.12 : 0.3)), tint(base, light.lit), lit);
  colour = [colour[0] * bright, colour[1] * bright, colour[2] * bright];
  // Haze is brighter towards the sun.
  const sunward = Math.exp(-Math.abs(x - spot.sunX) / (size * 0.6));
  const air = blend(light.haze, light.glow, 0.4 * sunward * (spot.isNight ? 0.2 : 1));
  colour = blend(colour, air, ridge.distance);
  const rising = smooth(
    0,
    1,
    clamp(1 - (ridge.foot - y) / ridge.mistDepth) +
      0.25 * spot.noise.cloud((x / size) * 2.2 + ridge.lane * 5, (y / size) * 6, 3),
  );
  return blend(colour, air, clamp(ridge.mist * rising * (below > 0 ? 1 : 0.8)));
}

/** How much sun a point gets, from the slope there. */
function litPart({ matter, lane, skyline }: Ridge, { noise, x, y, below, size, sunFrom }: Spot): number {
  const [u, v] = [x / size, y / size];
  if (matter === 'trees') return 0.12 + 0.2 * clamp(1 - below / (0.012 * size)) + 0.08 * noise.at(u * 160, v * 90);
  if (matter === 'leaves') return clamp(0.75 - below / (0.05 * size) + 0.35 * noise.at(u * 120, v * 120));
  if (matter === 'sand') {
    // The crest line runs on down the dune, leaning with the wind.
    const lean = x + below * (0.9 + 0.5 * noise.at(u * 1.1, lane)) + 0.03 * size * noise.at(u * 3, v * 5);
    const reach = Math.round(0.012 * size) * POINTS_PER_PIXEL;
    const at = clamp(Math.round(lean * POINTS_PER_PIXEL), reach, skyline.length - 1 - reach);
    const rise = ((skyline[at - reach]! - skyline[at + reach]!) / (2 * reach)) * POINTS_PER_PIXEL * sunFrom;
    const fold = rise * 2.4 + 0.12 + 0.1 * noise.cloud(u * 2, v * 4, 2);
    const ripple = Math.sin((below / size) * 210 + 9 * noise.at(u * 5, v * 9) + u * 30) * 0.035;
    return clamp(smooth(-0.35, 0.4, fold) * 0.72 + 0.22 + ripple + 0.03 * noise.at(u * 300, v * 300));
  }
  if (matter === 'grass') {
    const fold =
      noise.cloud(u * 2.1 + lane * 3, v * 7 + lane, 3) +
      0.35 *
        Math.sign(noise.at(u * 3.3 + lane * 7, (below / size) * 9 + lane)) *
        smooth(0.02, 0.06, below / size) *
        0.5;
    const blades = 0.1 * noise.at(u * 210, v * 110) + 0.12 * noise.cloud(u * 16, v * 42, 2);
    return clamp(0.55 + 0.55 * fold + blades - 0.3 * clamp(below / (0.5 * size)));
  }
  // Gullies run down from the crest and spread: the further below, the wider.
  const spread = below / size;
  const bend = noise.cloud(u * 4 + lane, v * 4, 2) * 0.35;
  const [p, q] = [u * 3.6 + lane * 11 + bend + spread * 0.8, spread * 2.6 + bend];
  const step = 0.035;
  const slope = (noise.ridge(p + step, q, 5) - noise.ridge(p - step, q, 5)) * sunFrom;
  return clamp(0.4 + 2.9 * slope + 0.12 * noise.at(u * 90, v * 90));
}

function snowy(ridge: Ridge, { noise, x, y, below, size }: Spot): Rgb | undefined {
  if (ridge.snowLine <= 0) return undefined;
  const [u, v] = [x / size, y / size];
  if (ridge.matter === 'trees' || ridge.matter === 'leaves') {
    // Snow lies on the branches in flat layers, thicker at the top.
    const deep = (0.015 + 0.12 * (1 - ridge.distance) ** 6) * size;
    const fine = 1 + 3 * ridge.distance;
    const heap = noise.cloud(u * 38 * fine, v * 85 * fine, 3) + 0.22 - below / deep;
    return blend(MATTER_COLOURS.trees, SNOW, 0.85 * smooth(-0.08, 0.16, heap));
  }
  const patch = noise.ridge(u * 7 + ridge.lane * 5, (below / size) * 4, 4) - 0.45;
  const above = (ridge.snowLine - y) / size + 0.11 * noise.cloud(u * 5 + ridge.lane, v * 5, 4) + 0.16 * patch;
  return blend(MATTER_COLOURS[ridge.matter], SNOW, smooth(-0.015, 0.05, above));
}
