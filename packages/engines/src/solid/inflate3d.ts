import sharp from 'sharp';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { openMatter } from '../image/open-matter.ts';
import { readAlpha, readPicture } from '../image/picture.ts';
import { exportModel } from '../mesh/export-model.ts';
import { placeModel } from '../mesh/solid-model.ts';
import { buildRelief } from './build-relief.ts';
import { type Field, inflateMatte, keepMainShapes, onBorder, spreadColours } from './inflate-matte.ts';

const TEXTURE_PIXELS = 1_024 * 1_024;
const GRID_SIDES = { standard: 160, high: 288 };
/** A smaller share of the image than this does not count as a subject. */
const MIN_COVER = 0.01;
const MAX_COVER = 0.97;

/** The subject of an image as an inflated relief: the image on the front, its mirror image on the back. */
export const createEngine: CreateEngine = async (kit) => {
  const matter = await openMatter({ kit, model: 'silueta' });
  return {
    async run({ params, inputs, dir }, report) {
      const path = inputs.image![0]!;
      const picture = await readPicture(path, { maxPixels: TEXTURE_PIXELS });
      const alpha = (await readAlpha(path, picture)) ?? (await matter(picture));
      report(0.4);
      const side = GRID_SIDES[params.geometry_quality === 'high' ? 'high' : 'standard'];
      const matte = keepMainShapes(await sampleMatte({ ...picture, alpha }, side));
      const cover = matte.values.reduce((sum, value) => sum + (value > 0.5 ? 1 : 0), 0) / matte.values.length;
      if (cover < MIN_COVER || cover > MAX_COVER) {
        throw new EngineRefusal(
          'No subject found in the image. Use an image of one object in front of a plain background.',
        );
      }
      const heights = inflateMatte(matte);
      report(0.6);
      const { width, height } = picture;
      const rgb = spreadColours({ rgb: picture.rgb, alpha, width, height });
      const png = await sharp(rgb, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer();
      const model = placeModel(buildRelief({ matte, heights, texture: { png, rgb, width, height } }));
      report(0.8);
      return [await exportModel(model, { dir, name: 'model', assimpPath: kit.program('assimp') })];
    },
  };
};

async function sampleMatte(picture: { alpha: Buffer; width: number; height: number }, side: number): Promise<Field> {
  const scale = side / Math.max(picture.width, picture.height);
  const [width, height] = [
    Math.max(8, Math.round(picture.width * scale)),
    Math.max(8, Math.round(picture.height * scale)),
  ];
  const bytes = await sharp(picture.alpha, { raw: { width: picture.width, height: picture.height, channels: 1 } })
    .blur(Math.max(0.3, 0.6 / scale))
    .resize({ width, height, fit: 'fill' })
    .extractChannel(0)
    .raw()
    .toBuffer();
  // A subject cut off by the edge of the image still gets a rim there.
  return {
    values: Float32Array.from(bytes, (byte, at) => (onBorder(at, width, height) ? 0 : byte / 255)),
    width,
    height,
  };
}
