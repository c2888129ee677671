import { EngineRefusal } from '../engine.ts';
import { boxBlur } from '../image/box-blur.ts';
import { cleanEdges } from '../image/clean-edges.ts';
import type { Filler } from '../image/open-filler.ts';
import type { Matter } from '../image/open-matter.ts';
import type { Picture } from '../image/picture.ts';
import { refineAlpha } from '../image/refine-alpha.ts';
import type { Layer } from './draw-layer.ts';

const [LEAST_SHARE, MOST_SHARE] = [0.01, 0.85];
/** How far around the subject the background is inpainted, relative to the longer side. */
const MARGIN = 0.018;
const TOUCHED = 0.01;
const DOUBT_RADIUS = 0.012;
const [UNLIKELY, LIKELY] = [0.06, 0.4];
const INSIDE = 0.8;

/** Splits an image into two layers: the subject, and the background with the hidden part inpainted. */
export async function separateLayers(options: {
  picture: Picture;
  matter: Matter;
  filler: Filler;
}): Promise<{ front: Layer; back: Layer }> {
  const { picture, matter, filler } = options;
  const { width, height } = picture;
  const alpha = fillDoubts({ alpha: await refineAlpha({ ...picture, alpha: await matter(picture) }), width, height });
  const share = alpha.reduce((sum, value) => sum + value, 0) / 255 / alpha.length;
  if (share < LEAST_SHARE || share > MOST_SHARE) {
    throw new EngineRefusal('No subject found in the image. Use another image, or a style that starts with ken-burns.');
  }
  const rgb = await cleanEdges({ ...picture, alpha });
  const bytes = Buffer.alloc(alpha.length * 4);
  for (let i = 0; i < alpha.length; i++) {
    const part = alpha[i]! / 255;
    for (let c = 0; c < 3; c++) bytes[i * 4 + c] = Math.round(rgb[i * 3 + c]! * part);
    bytes[i * 4 + 3] = alpha[i]!;
  }
  const radius = Math.max(3, Math.round(Math.max(width, height) * MARGIN));
  const near = boxBlur(
    Float32Array.from(alpha, (value) => (value > 12 ? 1 : 0)),
    { width, height, radius },
  );
  const mask = Buffer.from(Uint8Array.from(near, (value) => (value > TOUCHED ? 255 : 0)));
  const size = { width, height };
  return {
    front: { bytes, channels: 4, ...size },
    back: { bytes: await filler({ ...picture, mask }), channels: 3, ...size },
  };
}

/**
 * A matte is grey where the model is uncertain, and a transparent patch in a moving subject looks like a hole. Uncertain
 * pixels count as subject: a little background that moves along is far less visible.
 */
function fillDoubts({ alpha, width, height }: { alpha: Buffer; width: number; height: number }): Buffer {
  const radius = Math.max(2, Math.round(Math.max(width, height) * DOUBT_RADIUS));
  const likely = Float32Array.from(alpha, (value) =>
    Math.min(1, Math.max(0, (value / 255 - UNLIKELY) / (LIKELY - UNLIKELY))),
  );
  const size = { width, height, radius };
  const inside = boxBlur(
    boxBlur(likely, size).map((value) => (value > INSIDE ? 1 : 0)),
    size,
  );
  return Buffer.from(Uint8Array.from(likely, (value, i) => Math.round(Math.max(value, inside[i]!) * 255)));
}
