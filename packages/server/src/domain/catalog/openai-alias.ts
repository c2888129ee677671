import type { ParamDescriptor } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import type { Catalog, CatalogModel, ModelEntry, OpenaiAlias, OpenaiUse } from './catalog.ts';
import { findModel } from './list-models.ts';

export interface ChosenModel {
  readonly model: CatalogModel;
  readonly alias: OpenaiAlias | null;
}

/** The model of a request: by alias, then by id. Throws if there is none, or if it cannot do what is asked. */
export function chooseOpenaiModel(
  catalog: Catalog,
  request: { use: OpenaiUse; name: string | undefined; at: Date },
): ChosenModel {
  const { use, at } = request;
  const alias = findOpenaiAlias(catalog, request);
  const name = alias?.modelId ?? request.name;
  if (name === undefined) {
    throw new Problem('invalid_params', 'The request is not valid: model is required.', {
      issues: [{ path: 'model', message: 'is required' }],
    });
  }
  const model = findModel(catalog, { id: name, at });
  if (!fitsUse(model.entry, use)) {
    throw new Problem('invalid_params', `The model ${name} cannot be used here. Use POST /v1/generations.`, {
      issues: [{ path: 'model', message: `${name} cannot be used for ${use}; use POST /v1/generations` }],
    });
  }
  return { model, alias };
}

/** The alias of a name; of the default if no name is given. */
export function findOpenaiAlias(
  { aliases = [] }: Catalog,
  { use, name }: { use: OpenaiUse; name: string | undefined },
): OpenaiAlias | null {
  const own = aliases.filter(({ uses }) => uses.includes(use));
  return own.find((alias) => (name === undefined ? alias.default === true : alias.name === name)) ?? null;
}

const PICTURES: readonly string[] = ['image', 'images', 'first_frame'];

/** Whether a request of OpenAI's shape can name everything that the model requires. */
export function fitsUse(entry: Pick<ModelEntry, 'taskType' | 'modality' | 'params'>, use: OpenaiUse): boolean {
  const required = entry.params.filter((param) => param.required).map(({ name }) => name as string);
  const only = (...names: readonly string[]) => required.every((name) => names.includes(name));
  const takesPrompt = entry.params.some(({ name }) => name === 'prompt');
  switch (use) {
    case 'generations':
      return entry.modality === 'image' && takesPrompt && only('prompt');
    case 'edits':
      return (
        entry.modality === 'image' && takesPrompt && findPictureParam(entry) !== null && only('prompt', ...PICTURES)
      );
    case 'masked-edits':
      return (
        entry.modality === 'image' && takesPrompt && required.includes('mask') && only('prompt', 'mask', ...PICTURES)
      );
    case 'variations':
      return entry.modality === 'image' && findPictureParam(entry) !== null && only(...PICTURES);
    case 'speech':
      return entry.taskType === 'audio.tts' && only('text');
    case 'transcriptions':
      return entry.taskType === 'audio.stt' && only('audio');
    case 'videos':
      return entry.modality === 'video' && takesPrompt && only('prompt', ...PICTURES);
  }
}

/** The param that takes the client's pictures. */
export function findPictureParam(entry: Pick<ModelEntry, 'params'>): ParamDescriptor | null {
  const found = PICTURES.map((wanted) =>
    entry.params.find((param) => param.name === wanted && (param.kind === 'media' || param.kind === 'media_list')),
  );
  return found.find((param) => param !== undefined) ?? null;
}
