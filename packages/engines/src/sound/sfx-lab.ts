import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { writeWav } from '../audio/sound-files.ts';
import type { CreateEngine } from '../engine.ts';
import { chooseRecipes } from './choose-recipes.ts';
import { mixSound } from './mix-sound.ts';

const MAX_SEED = 2 ** 31;

/** Sounds of a fixed list, each computed by its own recipe. */
export const createEngine: CreateEngine = async () => ({
  async run({ params, dir }, report) {
    const names = chooseRecipes(String(params.prompt ?? ''));
    const seed = typeof params.seed === 'number' ? params.seed : randomInt(MAX_SEED);
    const sound = mixSound(names, { seconds: Number(params.duration ?? 2), seed });
    report(0.9);
    const path = join(dir, 'sound.wav');
    await writeWav(sound, path);
    return [{ path }];
  },
});
