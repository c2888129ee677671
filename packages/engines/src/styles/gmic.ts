import type { Sharp } from 'sharp';
import { type CreateEngine, EngineRefusal, type EngineRequest } from '../engine.ts';
import { findPreset } from './presets.ts';
import { runFilter, savePicture } from './run-filter.ts';
import { patchSides, transferStyle } from './transfer-style.ts';

/** Sketches, effects and style transfer with G'MIC presets, and a few looks and templates of our own. */
export const createEngine: CreateEngine = async (kit) => ({
  async run(request, report) {
    const gmic = kit.program('gmic');
    const picture = await (request.taskType === 'image.restyle' ? restyle(request, gmic) : applyPreset(request, gmic));
    report(0.9);
    return [await savePicture(picture, request.dir)];
  },
});

/** The settings of an effect name its preset; without an effect, the `style` param selects it. */
function applyPreset(request: EngineRequest, gmic: string): Promise<Sharp> {
  const name = request.settings['preset'] ?? request.params['style'];
  const preset = findPreset(name);
  if (preset === undefined)
    throw new EngineRefusal('This model requires an effect. Set effectId to one of its effects.');
  const paths = [...(request.inputs['image'] ?? []), ...(request.inputs['images'] ?? [])];
  const { minPictures, maxPictures, work } = preset;
  if (paths.length < minPictures || paths.length > maxPictures) {
    const wanted = minPictures === maxPictures ? `${minPictures}` : `${minPictures} to ${maxPictures}`;
    throw new EngineRefusal(`This effect requires ${wanted} ${wanted === '1' ? 'image' : 'images'}.`);
  }
  if ('compose' in work) return work.compose(paths);
  return runFilter({ gmic, filter: work.filter, path: paths[0]!, dir: request.dir });
}

function restyle(request: EngineRequest, gmic: string): Promise<Sharp> {
  const [content, style] = [...(request.inputs['image'] ?? []), ...(request.inputs['images'] ?? [])];
  if (content === undefined || style === undefined)
    throw new EngineRefusal('Two images are required: the image to change, and an image in the desired style.');
  const chosen = String(request.params['style'] ?? 'balanced');
  const fidelity = (Object.keys(patchSides) as (keyof typeof patchSides)[]).find((name) => name === chosen);
  if (fidelity === undefined)
    throw new EngineRefusal(`The style must be one of ${Object.keys(patchSides).join(', ')}.`);
  return transferStyle({ gmic, content, style, fidelity, dir: request.dir });
}
