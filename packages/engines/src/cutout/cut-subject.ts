import { EngineRefusal } from '../engine.ts';
import { cleanEdges, refineAlpha } from '../image/alpha.ts';
import type { Matter } from '../image/open-matter.ts';
import { type Picture, readAlpha, readPicture } from '../image/picture.ts';

/** A smaller share of the image than this does not count as a subject. */
const LEAST_SHARE = 0.002;
const MATTED = 0.5;

export interface Subject extends Picture {
  readonly alpha: Buffer;
}

/** Cuts the subject out of its background. An image that has an alpha channel already is used unchanged. */
export async function cutSubject(options: {
  path: string;
  matter: Matter;
  report: (progress: number) => void;
}): Promise<Subject> {
  const { path, matter, report } = options;
  const picture = await readPicture(path);
  const own = await readAlpha(path, picture);
  if (own !== null) return { ...picture, alpha: own };
  const coarse = await matter(picture);
  report(MATTED);
  const alpha = await refineAlpha({ ...picture, alpha: coarse });
  let sum = 0;
  for (const value of alpha) sum += value;
  if (sum / 255 / alpha.length < LEAST_SHARE) {
    throw new EngineRefusal(
      'No subject found in the image. Use an image in which a person or an object stands out from the background.',
    );
  }
  return { ...picture, rgb: await cleanEdges({ ...picture, alpha }), alpha };
}
