import { resolve } from 'node:path';
import type { Effect, Model } from '@atelier/contract';
import { loadCatalog } from '../../server/src/domain/catalog/load-catalog.ts';

const CATALOG = resolve(import.meta.dirname, '../../../catalog');

/** The models and effects of the repository, as the service lists them while every model is open. */
export async function loadModels(): Promise<{ models: Model[]; effects: Effect[] }> {
  const catalog = await loadCatalog(CATALOG);
  return {
    models: [...catalog.models.values()].map(({ entry }) => ({
      ...entry,
      availability: { state: 'open', reason: null },
    })),
    effects: [...catalog.effects.values()].map(({ entry }) => ({
      ...entry,
      thumbnail: entry.thumbnail && `/effects/${entry.thumbnail}`,
    })),
  };
}
