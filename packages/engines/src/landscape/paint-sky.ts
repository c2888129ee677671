import { seededRandom } from '../seeded-random.ts';
import { blend, type Canvas, type Light, type Rgb } from './landscape-light.ts';
import { clamp, type Noise, smooth } from './noise.ts';
import type { LandscapePlan } from './plan-landscape.ts';

const STARS_PER_MEGAPIXEL = 3_600;
const AURORA_GREEN: Rgb = [0.32, 0.95, 0.62];
const AURORA_VIOLET: Rgb = [0.55, 0.32, 0.85];

/** Everything above the horizon; `sun` is the position of the sun or moon, in pixels. */
export function paintSky(
  canvas: Canvas,
  options: {
    plan: LandscapePlan;
    light: Light;
    noise: Noise;
    seed: number;
    horizon: number;
    sun: { x: number; y: number };
  },
): void {
  const { plan, light, noise, horizon, sun } = options;
  const { width, height, rgb } = canvas;
  const size = Math.min(width, height);
  const isNight = plan.hour === 'night';
  const cover = plan.clouds ? 0.62 : isNight ? 0.2 : 0.4;
  for (let y = 0; y < height; y++) {
    const fall = clamp(y / horizon);
    for (let x = 0; x < width; x++) {
      let colour = skyAt(light, fall);
      const far = Math.hypot(x - sun.x, (y - sun.y) * 1.12) / size;
      colour = blend(
        colour,
        light.glow,
        0.72 * Math.exp(-far * (isNight ? 9 : 4.2)) + 0.18 * Math.exp(-far * 1.4) * (isNight ? 0.4 : 1),
      );
      const cloud = cloudAt({ x: x / size, y: y / size, horizon: horizon / size, noise, cover });
      if (cloud > 0) {
        const bright = 0.45 + 0.55 * Math.exp(-far * 1.8);
        const body = blend(blend(colour, light.shade, isNight ? 0.25 : 0.18), light.cloud, bright);
        colour = blend(colour, body, cloud * (isNight ? 0.45 : 0.82));
      }
      const edge = (light.discSize - far) * size;
      if (edge > -1)
        colour = blend(
          colour,
          moonOr(light, isNight, noise, (x - sun.x) / size, (y - sun.y) / size),
          clamp(edge + 0.5) * (1 - cloud * 0.5),
        );
      const at = (y * width + x) * 3;
      rgb[at] = colour[0];
      rgb[at + 1] = colour[1];
      rgb[at + 2] = colour[2];
    }
  }
  if (isNight) addStars(canvas, options);
  if (plan.aurora) addAurora(canvas, { noise, horizon });
}

export function skyAt({ sky }: Light, fall: number): Rgb {
  const place = fall ** 1.15 * 3;
  const index = Math.min(2, Math.floor(place));
  const share = place - index;
  return blend(sky[index]!, sky[index + 1]!, share * share * (3 - 2 * share) * 0.4 + share * 0.6);
}

function moonOr(light: Light, isNight: boolean, noise: Noise, x: number, y: number): Rgb {
  if (!isNight) return light.disc;
  const stain = smooth(-0.1, 0.35, noise.cloud(x * 55 + 4, y * 55 + 9, 3));
  return blend(light.disc, light.glow, 0.55 * stain);
}

/** Clouds in perspective: they become flatter and denser towards the horizon. */
function cloudAt(options: { x: number; y: number; horizon: number; noise: Noise; cover: number }): number {
  const { x, y, horizon, noise, cover } = options;
  const above = horizon - y;
  if (above <= 0.005) return 0;
  const depth = 0.55 / (above + 0.12);
  const [u, v] = [(x - 0.8) * depth * 1.1, depth * 3.1];
  const warp = noise.cloud(u * 0.7 + 5, v * 0.7, 2);
  const mass = noise.cloud(u + warp * 0.7, v + warp * 0.4, 5) + 0.5 * noise.cloud(u * 0.3 + 40, v * 0.3, 2);
  return smooth(0.62 - cover, 1.05 - cover * 0.6, mass + 0.28) * smooth(0.005, 0.12, above);
}

function addStars(
  { width, height, rgb }: Canvas,
  { seed, horizon, sun }: { seed: number; horizon: number; sun: { x: number; y: number } },
): void {
  const random = seededRandom(seed + 77);
  const size = Math.min(width, height);
  const count = Math.round((STARS_PER_MEGAPIXEL * width * height) / 1e6);
  for (let star = 0; star < count; star++) {
    const [x, y] = [random() * width, random() ** 1.2 * horizon];
    const strength = 0.15 + 0.85 * random() ** 6;
    const radius = (0.45 + 1.1 * random() ** 9) * Math.max(1, size / 900);
    const warmth = random();
    const veil = smooth(0.03, 0.3, Math.hypot(x - sun.x, y - sun.y) / size) * (1 - smooth(0.55, 1, y / horizon));
    for (let row = Math.floor(y - 2 * radius - 1); row <= y + 2 * radius + 1; row++) {
      for (let column = Math.floor(x - 2 * radius - 1); column <= x + 2 * radius + 1; column++) {
        if (row < 0 || column < 0 || row >= height || column >= width) continue;
        const light = strength * veil * Math.exp(-((column - x) ** 2 + (row - y) ** 2) / (radius * radius));
        const at = (row * width + column) * 3;
        rgb[at]! += light * (0.85 + 0.15 * warmth);
        rgb[at + 1]! += light * 0.93;
        rgb[at + 2]! += light * (1 - 0.15 * warmth);
      }
    }
  }
}

/** Aurora curtains: bright at the lower edge, fading upwards in rays. */
function addAurora({ width, height, rgb }: Canvas, { noise, horizon }: { noise: Noise; horizon: number }): void {
  const size = Math.min(width, height);
  for (let band = 0; band < 3; band++) {
    for (let x = 0; x < width; x++) {
      const u = x / size;
      const seam = horizon * (0.62 - band * 0.14 + 0.42 * noise.cloud(u * 1.1 + band * 9, band * 3.3, 3));
      const strength = smooth(-0.25, 0.35, noise.cloud(u * 1.3 + band * 21, 7, 2)) * (0.75 - band * 0.18);
      const rays = 0.62 + 0.38 * noise.at(u * 26 + band * 13, band) + 0.2 * noise.at(u * 70, band + 5);
      const tall = horizon * (0.3 + 0.14 * noise.at(u * 2.2, band + 11));
      for (let y = 0; y < Math.min(height, horizon); y++) {
        const above = (seam - y) / tall;
        const light = above < 0 ? Math.exp(above * 9) : Math.exp(-above * 2.6);
        const colour = blend(AURORA_GREEN, AURORA_VIOLET, smooth(0.15, 1.3, above));
        const at = (y * width + x) * 3;
        for (let channel = 0; channel < 3; channel++)
          rgb[at + channel]! += 1.15 * light * strength * clamp(rays) * colour[channel]!;
      }
    }
  }
}
