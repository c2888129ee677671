import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import sharp from 'sharp';
import type { CreateEngine, EngineOutput } from '../engine.ts';
import { parseAspect } from '../image/picture.ts';
import { paintLandscape } from './paint-landscape.ts';
import { planLandscape } from './plan-landscape.ts';

const MAX_SEED = 2 ** 31;
/** The longer side of an image. */
const SIDES: Readonly<Record<string, number>> = { '1k': 1_280, '2k': 2_560 };

/** Procedural landscapes from a fixed vocabulary. */
export const createEngine: CreateEngine = async () => ({
  async run({ params, outputs, dir }, report) {
    const plan = planLandscape(String(params.prompt ?? ''));
    const side = SIDES[String(params.resolution)] ?? 1_280;
    const ratio = parseAspect(params.aspect_ratio) ?? 16 / 9;
    const [width, height] = ratio >= 1 ? [side, Math.round(side / ratio)] : [Math.round(side * ratio), side];
    const seed = typeof params.seed === 'number' ? params.seed : randomInt(MAX_SEED);
    const made: EngineOutput[] = [];
    for (let index = 0; index < outputs; index++) {
      const rgb = paintLandscape(plan, {
        width,
        height,
        seed: seed + index,
        report: (part) => report((index + part) / outputs),
      });
      const path = join(dir, `landscape-${index + 1}.jpg`);
      await sharp(rgb, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
        .toFile(path);
      made.push({ path });
    }
    return made;
  },
});
