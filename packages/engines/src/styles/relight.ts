import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { refineAlpha } from '../image/alpha.ts';
import { openMatter } from '../image/open-matter.ts';
import { readPicture, writePicture } from '../image/picture.ts';
import { relightPicture } from './relight-picture.ts';

const MATTED = 0.6;

export const createEngine: CreateEngine = async (kit) => {
  const matter = await openMatter({ kit, model: 'silueta' });
  return {
    async run(request, report) {
      const path = request.inputs['image']?.[0];
      if (path === undefined) throw new EngineRefusal('An image is required.');
      const picture = await readPicture(path);
      const alpha = await refineAlpha({ ...picture, alpha: await matter(picture) });
      report(MATTED);
      const { light_direction: direction, lighting } = request.params;
      const made = await relightPicture({
        picture,
        alpha,
        direction: String(direction ?? 'top-left'),
        lighting: String(lighting ?? 'neutral'),
      });
      return [await writePicture({ picture: made, dir: request.dir, name: 'picture' })];
    },
  };
};
