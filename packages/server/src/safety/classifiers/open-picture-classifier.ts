import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import sharp from 'sharp';

export const PICTURE_SIDE = 224;

/** The classes of the model, each 0 to 1. */
export interface PictureScores {
  readonly Porn: number;
  readonly Hentai: number;
  readonly Sexy: number;
  readonly Neutral: number;
  readonly Drawing: number;
}
export type ClassifyPicture = (path: string) => Promise<PictureScores>;

/** The part of the package that is used. */
interface Nsfw {
  load(name: 'MobileNetV2'): Promise<{
    classify(
      tensor: unknown,
      classes: number,
    ): Promise<ReadonlyArray<{ className: keyof PictureScores; probability: number }>>;
  }>;
}
const PACKAGE = 'nsfwjs';
const CLASSES = 5;

/** Opens the picture classifier, whose weights come with its package. */
export async function openPictureClassifier(): Promise<ClassifyPicture> {
  const tf = await import('@tensorflow/tfjs');
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  setWasmPaths(
    `${dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm'))}${sep}`,
  );
  await tf.setBackend('wasm');
  await tf.ready();
  const { load } = (await import(PACKAGE)) as Nsfw;
  const model = await load('MobileNetV2');
  return async (path) => {
    const pixels = await sharp(path, { limitInputPixels: false })
      .rotate()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(PICTURE_SIDE, PICTURE_SIDE, { fit: 'fill' })
      .removeAlpha()
      .raw()
      .toBuffer();
    const tensor = tf.tensor3d(new Int32Array(pixels), [PICTURE_SIDE, PICTURE_SIDE, 3], 'int32');
    try {
      const classes = await model.classify(tensor, CLASSES);
      return Object.fromEntries(
        classes.map(({ className, probability }) => [className, probability]),
      ) as unknown as PictureScores;
    } finally {
      tensor.dispose();
    }
  };
}
