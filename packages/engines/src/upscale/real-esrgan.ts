import sharp from 'sharp';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { type Picture, readAlpha, readPicture, writePicture } from '../image/picture.ts';
import { resizePlane } from '../image/planes.ts';
import { openUpscaler } from './open-upscaler.ts';

const DONE = 0.98;
/** The second of two passes has four times the tiles. */
const FIRST_OF_TWO = 0.2;

export const createEngine: CreateEngine = async (kit) => {
  const upscale = await openUpscaler({ kit });

  async function enlarge(picture: Picture, factor: number, report: (progress: number) => void): Promise<Picture> {
    if (factor === 2) return upscale(picture, report);
    const doubled = await upscale(picture, (part) => report(part * FIRST_OF_TWO));
    return upscale(doubled, (part) => report(FIRST_OF_TWO + part * (1 - FIRST_OF_TWO)));
  }

  /** Doubles the size, which removes noise, and scales back to the original size. */
  async function restore(picture: Picture, report: (progress: number) => void): Promise<Picture> {
    const { width, height } = picture;
    const large = await upscale(picture, report);
    const rgb = await sharp(large.rgb, { raw: { width: large.width, height: large.height, channels: 3 } })
      .resize({ width, height, fit: 'fill', kernel: 'lanczos3' })
      .raw()
      .toBuffer();
    return { rgb, width, height };
  }

  return {
    async run(request, report) {
      const path = request.inputs['image']?.[0];
      if (path === undefined) throw new EngineRefusal('An image is required.');
      const picture = await readPicture(path);
      const own = await readAlpha(path, picture);
      const tell = (part: number) => report(part * DONE);
      const upscaling = request.taskType === 'image.upscale';
      if (!upscaling && request.taskType !== 'image.restore') {
        throw new Error(`engine real-esrgan does not support ${request.taskType}`);
      }
      const factor = Number(request.params.upscale_factor ?? 2) === 4 ? 4 : 2;
      const made = upscaling ? await enlarge(picture, factor, tell) : await restore(picture, tell);
      const alpha = own === null ? undefined : await resizePlane({ bytes: own, ...sizeOf(picture) }, sizeOf(made));
      return [await writePicture({ picture: made, alpha, dir: request.dir, name: 'picture' })];
    },
  };
};

const sizeOf = ({ width, height }: Picture) => ({ width, height });
