import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { exportModel } from '../mesh/export-model.ts';
import { buildObject } from './build-object.ts';
import { openVocabulary } from './open-vocabulary.ts';
import { filmTurntable, photographModel } from './photograph-model.ts';

/** Objects of a fixed list and letters, as 3D models, images and turntable videos. */
export const createEngine: CreateEngine = async (kit) => {
  const icons = dirname(createRequire(import.meta.url).resolve('fluentui-emoji/package.json'));
  const vocabulary = await openVocabulary(join(icons, 'icons/flat'));
  return {
    async run({ taskType, params, dir }, report) {
      const model = await buildObject(params, vocabulary);
      if (taskType === '3d.from-text') {
        report(0.5);
        return [await exportModel(model, { dir, name: 'model', assimpPath: kit.program('assimp') })];
      }
      report(0.02);
      if (taskType === 'image.generate') return [{ path: await photographModel(model, { params, dir }) }];
      if (taskType === 'video.generate') {
        return [{ path: await filmTurntable(model, { params, dir, ffmpegPath: kit.program('ffmpeg'), report }) }];
      }
      throw new EngineRefusal(`This model does not support ${taskType}.`);
    },
  };
};
