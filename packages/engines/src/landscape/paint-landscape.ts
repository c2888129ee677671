import { seededRandom } from '../seeded-random.ts';
import { composeRidges } from './compose-ridges.ts';
import { type Canvas, lights } from './landscape-light.ts';
import { clamp, openNoise, smooth } from './noise.ts';
import { paintRidge } from './paint-ridge.ts';
import { paintSky } from './paint-sky.ts';
import { paintWater } from './paint-water.ts';
import type { LandscapePlan } from './plan-landscape.ts';

/** Renders a plan as RGB, row by row. The same seed produces the same image. */
export function paintLandscape(
  plan: LandscapePlan,
  options: { width: number; height: number; seed: number; report: (progress: number) => void },
): Buffer {
  const { width, height, seed, report } = options;
  const random = seededRandom(seed);
  const noise = openNoise(seed);
  const size = Math.min(width, height);
  const moods = lights[plan.hour];
  const light = moods[Math.floor(random() * moods.length)]!;
  const canvas: Canvas = { width, height, rgb: new Float32Array(width * height * 3) };
  const open = plan.ground === 'sea' ? 0.56 : plan.water ? 0.6 : 0.64;
  const horizon = Math.round(height * (open + 0.04 * (random() - 0.5)));
  const sunX = width * (random() < 0.5 ? 0.24 + 0.16 * random() : 0.6 + 0.16 * random());
  const lift = plan.ground === 'mountains' ? 0.24 : plan.ground === 'forest' ? 0.2 : 0;
  const sun = { x: sunX, y: horizon * (1 - clamp(light.height + lift, 0.05, 0.86)) };

  paintSky(canvas, { plan, light, noise, seed, horizon, sun });
  report(0.35);
  const isNight = plan.hour === 'night';
  const { behind, before, shore } = composeRidges({ plan, width, height, size, horizon, noise, seed });
  behind.forEach((ridge, at) => {
    paintRidge(canvas, ridge, { light, noise, sunX, size, isNight });
    report(0.35 + (0.35 * (at + 1)) / behind.length);
  });
  if (shore !== undefined) {
    paintWater(canvas, { light, noise, shore, sunX, size, rough: plan.ground === 'sea' ? 1.5 : 0.55, isNight });
  }
  report(0.85);
  for (const ridge of before) paintRidge(canvas, ridge, { light, noise, sunX, size, isNight });
  return develop(canvas, seed);
}

/** Adds a slight vignette, rolls off highlights, and dithers against banding. */
function develop({ width, height, rgb }: Canvas, seed: number): Buffer {
  const random = seededRandom(seed + 5);
  const picture = Buffer.alloc(rgb.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const edge = 1 - 0.2 * smooth(0.45, 0.95, Math.hypot(x / width - 0.5, (y / height - 0.5) * 0.9) * 1.25);
      const grain = (random() - 0.5) * 0.012;
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++) {
        const value = rgb[at + channel]! * edge + grain;
        picture[at + channel] = Math.round(255 * clamp(value > 0.9 ? 0.9 + 0.1 * Math.tanh((value - 0.9) * 5) : value));
      }
    }
  }
  return picture;
}
