import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateEngine } from '@atelier/engines/engine.ts';
import type { Verdict } from '../verdict.ts';
import { openPictureClassifier, PICTURE_SIDE, type PictureScores } from './open-picture-classifier.ts';
import { sampleFrames } from './sample-frames.ts';

/** The picture classifier. Settings: `threshold`; inputs: `images`, `videos`. Its one output is `verdict.json`. */
export const createEngine: CreateEngine = async (kit) => {
  const classify = await openPictureClassifier();
  return {
    async run(request, report) {
      const { threshold } = request.settings;
      if (typeof threshold !== 'number') throw new Error('needs threshold');
      const pictures = [...(request.inputs['images'] ?? [])];
      for (const [index, video] of (request.inputs['videos'] ?? []).entries()) {
        const dir = join(request.dir, `frames-${index}`);
        await mkdir(dir);
        pictures.push(...(await sampleFrames({ ffmpeg: kit.program('ffmpeg'), video, dir, side: PICTURE_SIDE })));
      }
      const scores: PictureScores[] = [];
      for (const picture of pictures) {
        scores.push(await classify(picture));
        report(scores.length / pictures.length);
        if (judgePictures(scores, threshold).flagged) break;
      }
      const path = join(request.dir, 'verdict.json');
      await writeFile(path, JSON.stringify(judgePictures(scores, threshold)));
      return [{ path }];
    },
  };
};

/**
 * Judged on `Porn` and `Hentai` together, by the worst picture. `Sexy` never counts: athletes and swimwear get it with
 * high scores.
 */
export function judgePictures(pictures: readonly PictureScores[], threshold: number): Verdict {
  const score = pictures.reduce((worst, { Porn, Hentai }) => Math.max(worst, Math.min(1, Porn + Hentai)), 0);
  const flagged = score >= threshold;
  return { flagged, category: flagged ? 'sexual' : null, score, engine: 'nsfwjs-mobilenet-v2', version: '4.3.0' };
}
