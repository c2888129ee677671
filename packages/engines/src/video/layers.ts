import { EngineRefusal } from '../engine.ts';
import { cleanEdges, refineAlpha } from '../image/alpha.ts';
import type { Filler } from '../image/open-filler.ts';
import type { Matter } from '../image/open-matter.ts';
import type { Picture } from '../image/picture.ts';
import { boxBlur } from '../image/planes.ts';
import type { LayerPlace } from './camera-moves.ts';

export interface Layer {
  /** RGB, or RGBA with premultiplied alpha. */
  readonly bytes: Buffer;
  readonly channels: 3 | 4;
  readonly width: number;
  readonly height: number;
}

/** Composites a layer over a frame of the same size with subpixel precision: whole pixels would make slow moves jitter. */
export function drawLayer(frame: Buffer, layer: Layer, place: LayerPlace): void {
  const { bytes, channels, width, height } = layer;
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const columns = new Int32Array(width);
  const parts = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const from = clamp(middleX + (x - middleX - place.dx * width) / place.zoom, width - 1);
    columns[x] = Math.min(width - 2, Math.floor(from));
    parts[x] = from - columns[x]!;
  }
  const stride = width * channels;
  for (let y = 0; y < height; y++) {
    const from = clamp(middleY + (y - middleY - place.dy * height) / place.zoom, height - 1);
    const row = Math.min(height - 2, Math.floor(from));
    const down = from - row;
    for (let x = 0; x < width; x++) {
      const right = parts[x]!;
      const at = row * stride + columns[x]! * channels;
      const [w11, w10] = [right * down, (1 - right) * down];
      const [w01, w00] = [right - w11, 1 - right - w10];
      const [b, c] = [at + channels, at + stride];
      const d = c + channels;
      let left = 0;
      if (channels === 4) {
        const alpha = bytes[at + 3]! * w00 + bytes[b + 3]! * w01 + bytes[c + 3]! * w10 + bytes[d + 3]! * w11;
        if (alpha === 0) continue;
        left = 1 - alpha / 255;
      }
      const to = (y * width + x) * 3;
      for (let i = 0; i < 3; i++) {
        const value = bytes[at + i]! * w00 + bytes[b + i]! * w01 + bytes[c + i]! * w10 + bytes[d + i]! * w11;
        frame[to + i] = value + frame[to + i]! * left + 0.5;
      }
    }
  }
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}

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
