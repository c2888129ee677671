import type { CatalogModel } from '../catalog.ts';
import { findEffectMedia } from '../find-effect-media.ts';
import type { EffectRecord } from './file-schemas.ts';
import type { Path, Report } from './report.ts';

/** Checks that an effect can run on the model that it names. */
export function checkEffect(options: { effect: EffectRecord; model: CatalogModel; at: Path; report: Report }): void {
  const { effect, model, at, report } = options;
  const { input } = effect;
  const { id, modality, params } = model.entry;
  if (effect.kind !== modality) report([...at, 'kind'], `must be ${modality}, which the model ${id} makes`);
  if (input.type === 'images' && input.min > input.max) report([...at, 'input', 'min'], 'is above max');
  const target = findEffectMedia(model.entry, input);
  if (target === undefined) {
    const wanted = input.type === 'video' ? 'video' : 'images or image';
    report([...at, 'input', 'type'], `the model ${id} has no media param ${wanted}`);
    return;
  }
  if (input.type === 'images') {
    const { minItems, maxItems } = target.kind === 'media_list' ? target : { minItems: 1, maxItems: 1 };
    if (input.min < minItems) report([...at, 'input', 'min'], `the model ${id} needs at least ${minItems}`);
    if (input.max > maxItems) report([...at, 'input', 'max'], `the model ${id} takes at most ${maxItems}`);
  }
  for (const param of params) {
    const isMedia = param.kind === 'media' || param.kind === 'media_list';
    if (param.required && isMedia && param.name !== target.name) {
      report([...at, 'modelId'], `the model ${id} needs ${param.name}, which no effect gives`);
    }
  }
}
