import sharp from 'sharp';
import { type Engine, type EngineKit, EngineRefusal, type EngineRequest } from '../engine.ts';
import { type MatterModel, openMatter } from '../image/open-matter.ts';
import { layOver, type Picture, parseAspect, writePicture } from '../image/picture.ts';
import { cutSubject, type Subject } from './cut-subject.ts';
import { drawBackdrop } from './draw-backdrop.ts';
import { stageProduct } from './stage-product.ts';

const CUT = 0.8;

/** The engine for all matting models: removes the background of a subject, or replaces it. */
export async function createCutout(options: { kit: EngineKit; model: MatterModel }): Promise<Engine> {
  const matter = await openMatter(options);
  return {
    async run(request, report) {
      const path = request.inputs['image']?.[0];
      if (path === undefined) throw new EngineRefusal('An image is required.');
      const subject = await cutSubject({ path, matter, report: (part) => report(part * CUT) });
      report(CUT);
      const { dir } = request;
      switch (request.taskType) {
        case 'image.remove-bg':
          return [await writePicture({ picture: subject, alpha: subject.alpha, dir, name: 'cutout' })];
        case 'image.replace-bg':
          return [await writePicture({ picture: await replaceBackground(subject, request), dir, name: 'picture' })];
        case 'image.product-shot': {
          const { style, palette, aspect_ratio: aspect } = request.params;
          const picture = await stageProduct({
            subject,
            style: String(style ?? 'studio'),
            palette: String(palette ?? 'white'),
            aspect: parseAspect(aspect) ?? 1,
          });
          return [await writePicture({ picture, dir, name: 'product' })];
        }
        default:
          throw new Error(`cutout engines do not support ${request.taskType}`);
      }
    },
  };
}

async function replaceBackground(subject: Subject, request: EngineRequest): Promise<Picture> {
  const { width, height } = subject;
  const given = request.inputs['images']?.[0];
  const { style, palette, seed } = request.params;
  const backdrop =
    given === undefined
      ? await drawBackdrop({
          style: String(style ?? 'gradient'),
          palette: String(palette ?? 'white'),
          width,
          height,
          seed: Number(seed ?? 1),
        })
      : { rgb: await cover(given, { width, height }), width, height };
  return layOver(backdrop, subject);
}

async function cover(path: string, size: { width: number; height: number }): Promise<Buffer> {
  return sharp(path)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize({ ...size, fit: 'cover', position: 'attention' })
    .removeAlpha()
    .raw()
    .toBuffer();
}
