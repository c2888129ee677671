import { join } from 'node:path';
import sharp from 'sharp';
import type { EngineKit } from '../engine.ts';
import { openSession } from '../open-session.ts';
import type { Picture } from './picture.ts';
import { resizePlane } from './planes.ts';

const SALIENCY_SIDE = 320;
const PORTRAIT_SIDE = 512;
const PORTRAIT_STEP = 32;
/** The maximum aspect ratio: panoramas are squeezed to it, since the model was trained without them. */
const MAX_SIDE_RATIO = 2;
/** Below this the model found no subject, and normalizing its noise would invent one. */
const MIN_PEAK = 0.3;

/** The model's input normalization: (value / 255 - mean) / deviation, per channel. */
const SALIENCY_SCALE = { mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225] };
const PORTRAIT_SCALE = { mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };

export type MatterModel = 'u2net' | 'silueta' | 'modnet';
/** Returns the subject's alpha, one byte per pixel, in the size of the image. */
export type Matter = (picture: Picture) => Promise<Buffer>;

/** `side` is the shorter side of modnet's input, for videos where each frame must be fast. */
export async function openMatter(options: {
  kit: Pick<EngineKit, 'weights' | 'threads'>;
  model: MatterModel;
  side?: number;
}): Promise<Matter> {
  const { kit, model } = options;
  const { Tensor } = await import('onnxruntime-node');
  const session = await openSession({ path: join(kit.weights(model), `${model}.onnx`), threads: kit.threads });
  const [inputName, outputName] = [session.inputNames[0]!, session.outputNames[0]!];
  const portrait = model === 'modnet';

  return async (picture) => {
    const size = portrait
      ? fitPortrait(picture, options.side ?? PORTRAIT_SIDE)
      : { width: SALIENCY_SIDE, height: SALIENCY_SIDE };
    const { rgb, width, height } = picture;
    const small = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .resize({ ...size, fit: 'fill', kernel: portrait ? 'linear' : 'lanczos3' })
      .raw()
      .toBuffer();
    const values = scalePixels(small, portrait ? PORTRAIT_SCALE : SALIENCY_SCALE);
    const result = await session.run({ [inputName]: new Tensor('float32', values, [1, 3, size.height, size.width]) }, [
      outputName,
    ]);
    const alpha = toBytes(result[outputName]!.data as Float32Array, portrait);
    return resizePlane({ bytes: alpha, ...size }, { width, height });
  };
}

function fitPortrait(picture: { width: number; height: number }, side: number): { width: number; height: number } {
  const scale = side / Math.min(picture.width, picture.height);
  const fit = (length: number) =>
    Math.max(
      PORTRAIT_STEP,
      Math.round(Math.min(length * scale, side * MAX_SIDE_RATIO) / PORTRAIT_STEP) * PORTRAIT_STEP,
    );
  return { width: fit(picture.width), height: fit(picture.height) };
}

function scalePixels(rgb: Buffer, scale: { mean: readonly number[]; deviation: readonly number[] }): Float32Array {
  const pixels = rgb.length / 3;
  const values = new Float32Array(rgb.length);
  for (let channel = 0; channel < 3; channel++) {
    const factor = 1 / (255 * scale.deviation[channel]!);
    const shift = scale.mean[channel]! / scale.deviation[channel]!;
    for (let i = 0; i < pixels; i++) values[channel * pixels + i] = rgb[i * 3 + channel]! * factor - shift;
  }
  return values;
}

function toBytes(values: Float32Array, absolute: boolean): Buffer {
  let [low, high] = [0, 1];
  if (!absolute) {
    [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (high < MIN_PEAK) [low, high] = [0, 1];
  }
  const bytes = Buffer.alloc(values.length);
  const factor = 255 / Math.max(high - low, 1e-6);
  for (let i = 0; i < values.length; i++)
    bytes[i] = Math.min(255, Math.max(0, Math.round((values[i]! - low) * factor)));
  return bytes;
}
