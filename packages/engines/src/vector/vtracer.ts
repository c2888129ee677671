import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '@neplex/vectorizer';
import sharp from 'sharp';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { boxBlur } from '../image/planes.ts';

/** More pixels do not improve the curves, and the file becomes too large to open. */
const MAX_PIXELS = 1_000_000;
const INK_RADIUS_PER_SIDE = 0.025;
const [INK_DARKER, INK_DARKEST] = [0.86, 46];
/** Viewers refuse larger drawings. Details are dropped in steps until it fits. */
const MAX_DRAWING_BYTES = 6_000_000;
const MAX_ATTEMPTS = 4;
const READ = 0.1;
const TRACED = 0.9;

/** The library's numeric values; its ambient const enums cannot be imported here. */
const [COLOUR, BINARY, STACKED, SPLINE] = [0, 1, 0, 2] as const;

const CURVES = {
  hierarchical: STACKED,
  mode: SPLINE,
  cornerThreshold: 60,
  lengthThreshold: 4,
  maxIterations: 10,
  spliceThreshold: 45,
  pathPrecision: 1,
};

type Preset = Pick<Config, 'filterSpeckle' | 'colorPrecision' | 'layerDifference'> & {
  readonly binary?: boolean;
  /** Smooths photographic grain, which would become thousands of specks. */
  readonly median?: number;
};

const PRESETS: Readonly<Record<string, Preset>> = {
  photo: { filterSpeckle: 4, colorPrecision: 7, layerDifference: 10, median: 3 },
  poster: { filterSpeckle: 8, colorPrecision: 6, layerDifference: 32, median: 5 },
  logo: { filterSpeckle: 4, colorPrecision: 6, layerDifference: 24 },
  line: { filterSpeckle: 4, colorPrecision: 6, layerDifference: 16, binary: true, median: 3 },
};

export const createEngine: CreateEngine = async () => {
  const { vectorizeRaw } = await import('@neplex/vectorizer');
  return {
    async run(request, report) {
      const path = request.inputs['image']?.[0];
      if (path === undefined) throw new EngineRefusal('An image is required.');
      const preset = PRESETS[String(request.params.style ?? 'photo')] ?? PRESETS['photo']!;
      const { width, height, rgba, scale } = await readPixels(path, preset);
      report(READ);
      let filterSpeckle = preset.filterSpeckle;
      for (let attempt = 1; ; attempt++) {
        const traced = await vectorizeRaw(rgba, { width, height }, {
          ...CURVES,
          colorMode: preset.binary ? BINARY : COLOUR,
          filterSpeckle,
          colorPrecision: preset.colorPrecision,
          layerDifference: preset.layerDifference,
        } as Config);
        report(Math.min(TRACED, READ + ((TRACED - READ) * attempt) / MAX_ATTEMPTS));
        const drawing = frame(traced, { width, height, scale, paper: preset.binary === true });
        if (drawing.length <= MAX_DRAWING_BYTES) {
          const out = join(request.dir, 'drawing.svg');
          await writeFile(out, drawing);
          return [{ path: out }];
        }
        if (attempt === MAX_ATTEMPTS) {
          throw new EngineRefusal('The image is too noisy to vectorize. Try the style poster, or a cleaner image.');
        }
        filterSpeckle *= 2;
      }
    },
  };
};

async function readPixels(path: string, preset: Preset) {
  const { autoOrient } = await sharp(path).metadata();
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (autoOrient.width * autoOrient.height)));
  let image = sharp(path).autoOrient().toColourspace('srgb');
  if (preset.binary) image = image.flatten({ background: '#ffffff' });
  if (scale < 1) image = image.resize({ width: Math.max(1, Math.round(autoOrient.width * scale)) });
  if (preset.median !== undefined) image = image.median(preset.median);
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { rgba: preset.binary ? inkOnPaper(data, { width, height }) : data, width, height, scale };
}

/** Adaptive threshold: black where a pixel is darker than its surroundings, which removes a scan's shadows and paper tint. */
function inkOnPaper(rgba: Buffer, size: { width: number; height: number }): Buffer {
  const light = Float32Array.from({ length: rgba.length / 4 }, (_, i) => {
    return 0.299 * rgba[i * 4]! + 0.587 * rgba[i * 4 + 1]! + 0.114 * rgba[i * 4 + 2]!;
  });
  const radius = Math.max(4, Math.round(Math.max(size.width, size.height) * INK_RADIUS_PER_SIDE));
  const around = boxBlur(light, { ...size, radius });
  const out = Buffer.alloc(rgba.length, 255);
  for (let i = 0; i < light.length; i++) {
    if (light[i]! < around[i]! * INK_DARKER || light[i]! < INK_DARKEST) out.fill(0, i * 4, i * 4 + 3);
  }
  return out;
}

/** Sets the size of the upload and a viewBox, whatever the size it was traced at. */
function frame(drawing: string, size: { width: number; height: number; scale: number; paper: boolean }): string {
  const { width, height, scale, paper } = size;
  const ground = paper ? `<path d="M0 0H${width}V${height}H0Z" fill="#ffffff"/>\n` : '';
  const paths = drawing.slice(drawing.indexOf('<path'), drawing.lastIndexOf('</svg>'));
  const [wide, high] = [Math.round(width / scale), Math.round(height / scale)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${width} ${height}">\n${ground}${paths}</svg>\n`;
}
