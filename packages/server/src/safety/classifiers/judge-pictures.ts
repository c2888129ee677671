import type { PictureScores } from './open-picture-classifier.ts';
import type { Verdict } from '../verdict.ts';

/**
 * Judged on `Porn` and `Hentai` together, by the worst picture. `Sexy` never counts: athletes and swimwear get it with
 * high scores.
 */
export function judgePictures(pictures: readonly PictureScores[], threshold: number): Verdict {
  const score = pictures.reduce((worst, { Porn, Hentai }) => Math.max(worst, Math.min(1, Porn + Hentai)), 0);
  const flagged = score >= threshold;
  return { flagged, category: flagged ? 'sexual' : null, score, engine: 'nsfwjs-mobilenet-v2', version: '4.3.0' };
}
