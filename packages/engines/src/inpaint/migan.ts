import { type CreateEngine, EngineRefusal, type EngineRequest } from '../engine.ts';
import { openFiller } from '../image/open-filler.ts';
import { type Picture, parseAspect, readPicture, writePicture } from '../image/picture.ts';
import { extendCanvas, reframePicture } from './extend-canvas.ts';
import { growMask, paintHoles, readMask } from './holes.ts';

/** The soft edge and the shadow of an object extend beyond the drawn outline. */
const ERASE_GROWTH_PER_SIDE = 0.006;
/** Inpainted areas have the detail of 512 pixels; in a larger image they would look blurred. */
const MAX_EXTENDED_PIXELS = 4_194_304;
const PERCENT = 100;
const PAINTED = 0.95;

export const createEngine: CreateEngine = async (kit) => {
  const filler = await openFiller({ kit });

  async function make(request: EngineRequest, picture: Picture, report: (progress: number) => void): Promise<Picture> {
    const { params, inputs } = request;
    switch (request.taskType) {
      case 'image.erase':
      case 'image.inpaint': {
        const path = inputs['mask']?.[0];
        if (path === undefined)
          throw new EngineRefusal('A mask is required: white for the area to change, black for the area to keep.');
        const drawn = await readMask(path, picture);
        const { width, height } = picture;
        const growth = request.taskType === 'image.erase' ? Math.max(width, height) * ERASE_GROWTH_PER_SIDE : 0;
        const mask = growMask(drawn, { width, height, radius: Math.round(growth) });
        return paintHoles({ picture, mask, filler, report });
      }
      case 'image.outpaint': {
        const part = (name: 'expand_left' | 'expand_right' | 'expand_top' | 'expand_bottom') =>
          Number(params[name] ?? 0) / PERCENT;
        const margins = {
          left: Math.round(picture.width * part('expand_left')),
          right: Math.round(picture.width * part('expand_right')),
          top: Math.round(picture.height * part('expand_top')),
          bottom: Math.round(picture.height * part('expand_bottom')),
        };
        if (Object.values(margins).every((pixels) => pixels === 0)) {
          throw new EngineRefusal(
            'Nothing to extend. Set expand_left, expand_right, expand_top or expand_bottom to more than 0.',
          );
        }
        return extendCanvas({ picture, margins, filler, report });
      }
      case 'image.reframe': {
        const aspect = parseAspect(params['aspect_ratio']);
        if (aspect === null) throw new EngineRefusal('aspect_ratio is required, for example 16:9.');
        const style = params['style'] === 'crop' ? 'crop' : 'extend';
        return reframePicture({ picture, aspect, style, filler, report });
      }
      default:
        throw new Error(`engine migan does not support ${request.taskType}`);
    }
  }

  return {
    async run(request, report) {
      const path = request.inputs['image']?.[0];
      if (path === undefined) throw new EngineRefusal('An image is required.');
      const extending = request.taskType === 'image.reframe' && request.params.style !== 'crop';
      const picture = await readPicture(path, extending ? { maxPixels: MAX_EXTENDED_PIXELS } : {});
      const made = await make(request, picture, (part) => report(part * PAINTED));
      return [await writePicture({ picture: made, dir: request.dir, name: 'picture' })];
    },
  };
};
