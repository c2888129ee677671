import type { ListModelsQuery, Model, ModelsResponse } from '@atelier/contract';
import { Problem } from '../../platform/problem.ts';
import { isListed, isSunset, judgeAvailability, type Openness } from './availability.ts';
import type { Catalog, CatalogModel, ModelEntry } from './catalog.ts';

/** Every listed model that matches the filter, in display order. */
export function listModels(
  catalog: Catalog,
  options: Openness & { readonly filter?: ListModelsQuery },
): ModelsResponse {
  const { filter = {}, ...openness } = options;
  const listed = [...catalog.models.values()].filter((model) => isListed(model, openness) && fits(model.entry, filter));
  return { models: listed.map((model) => render(model, openness)) };
}

/** One model, even if it is closed. A model past its sunset is unknown, like one that does not exist. */
export function getModel(catalog: Catalog, options: Openness & { readonly id: string }): Model {
  return render(findModel(catalog, options), options);
}

/** The model of a request; throws if it is unknown. */
export function findModel(catalog: Catalog, { id, at }: { id: string; at?: Date | undefined }): CatalogModel {
  const model = catalog.models.get(id);
  if (model === undefined || isSunset(model, at)) throw new Problem('unknown_model', `There is no model ${id}.`);
  return model;
}

function fits(entry: ModelEntry, filter: ListModelsQuery): boolean {
  const { taskType = entry.taskType, modality = entry.modality, workspace = entry.workspace } = filter;
  return entry.taskType === taskType && entry.modality === modality && entry.workspace === workspace;
}

function render(model: CatalogModel, openness: Openness): Model {
  return { ...model.entry, availability: judgeAvailability(model, openness) };
}
