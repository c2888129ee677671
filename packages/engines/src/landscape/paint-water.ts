import { blend, type Canvas, type Light, type Rgb } from './landscape-light.ts';
import { clamp, type Noise, smooth } from './noise.ts';

/** Water below the shore line: mirrors the scene above, distorted by ripples that grow towards the viewer. */
export function paintWater(
  canvas: Canvas,
  options: { light: Light; noise: Noise; shore: number; sunX: number; size: number; rough: number; isNight: boolean },
): void {
  const { width, height, rgb } = canvas;
  const { light, noise, size, rough } = options;
  const shore = Math.round(options.shore);
  const deep = blend(light.sky[0], light.shade, 0.35);
  for (let y = shore; y < height; y++) {
    const near = (y - shore) / (height - shore || 1);
    const depth = 1 / (near * 1.6 + 0.05);
    for (let x = 0; x < width; x++) {
      const u = ((x - width / 2) / size) * depth;
      const wave = noise.cloud(u * 5.5, depth * 9, 3) + 0.5 * noise.at(u * 19, depth * 34);
      const swell = noise.at(u * 1.3 + 7, depth * 3.1);
      const shift = (0.004 + near * 0.05) * size * rough;
      const source = clamp(shore - 1 - (y - shore) * 0.92 + wave * shift, 0, shore - 1);
      const sideways = clamp(x + wave * shift * 0.5, 0, width - 1);
      let colour = sample(rgb, width, sideways, source);
      const mirror = 0.94 - 0.42 * near - 0.1 * rough;
      colour = blend(deep, colour, clamp(mirror + 0.1 * wave));
      const crest = smooth(0.22, 0.6, wave * 0.8 + swell * 0.4);
      colour = blend(colour, light.sky[3], 0.16 * crest * rough);
      const path = Math.exp(-(((x - options.sunX) / (size * (0.05 + 0.16 * near))) ** 2));
      const glitter = smooth(0.18, 0.55, wave + 0.25 * noise.at(x * 0.35, y * 0.8)) * path;
      colour = blend(colour, light.disc, clamp(glitter * (options.isNight ? 0.5 : 0.75)));
      const at = (y * width + x) * 3;
      rgb[at] = colour[0];
      rgb[at + 1] = colour[1];
      rgb[at + 2] = colour[2];
    }
  }
  softenShore(canvas, shore, light);
}

function sample(rgb: Float32Array, width: number, x: number, y: number): Rgb {
  const at = (Math.round(y) * width + Math.round(x)) * 3;
  return [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!];
}

/** A thin bright line where the water begins. */
function softenShore({ width, height, rgb }: Canvas, shore: number, light: Light): void {
  const deep = Math.max(1, Math.round(height * 0.003));
  for (let y = Math.max(0, shore - 1); y < Math.min(height, shore + deep); y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++)
        rgb[at + channel]! += (light.haze[channel]! - rgb[at + channel]!) * 0.3;
    }
  }
}
