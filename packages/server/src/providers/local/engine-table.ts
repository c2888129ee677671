import { type EngineRow, engines } from '@atelier/engines/engines.ts';
import type { usesLikeness } from '../uses-likeness.ts';

/** Everything that runs in a confined child: the engines of models, and the classifiers that check content. */
export const engineTable = {
  ...engines,
  'safety-prompt': {
    module: new URL('../../safety/classifiers/prompt-engine.ts', import.meta.url),
    weights: ['minilm'],
    programs: [],
    packages: ['@lat.md/embed'],
    memoryMb: 600,
    heavy: false,
  },
  'safety-picture': {
    module: new URL('../../safety/classifiers/picture-engine.ts', import.meta.url),
    weights: [],
    programs: ['ffmpeg'],
    packages: ['nsfwjs', '@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
    memoryMb: 1_000,
    heavy: false,
  },
} as const satisfies Record<keyof typeof usesLikeness, EngineRow>;
