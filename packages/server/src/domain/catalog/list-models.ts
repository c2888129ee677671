import type { ModelsResponse } from '@atelier/contract';
import type { Catalog } from './catalog.ts';
import { isOpen, type Openness } from './is-open.ts';

/** Every model that is open now, in display order. */
export function listModels(catalog: Catalog, options: Openness): ModelsResponse {
  const open = [...catalog.models.values()].filter((model) => isOpen(model, options));
  return { models: open.map(({ entry }) => entry) };
}
