import type { Effect, ParamDescriptor } from '@atelier/contract';
import type { ModelEntry } from './catalog.ts';

/** The model param that receives the input of the effect; undefined if the model has none. */
export function findEffectMedia(model: ModelEntry, input: Effect['input']): ParamDescriptor | undefined {
  const find = (name: string, kind: ParamDescriptor['kind']) =>
    model.params.find((each) => each.name === name && each.kind === kind);
  if (input.type === 'video') return find('video', 'media');
  return find('images', 'media_list') ?? find('image', 'media');
}
