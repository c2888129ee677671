import type { EffectsResponse } from '@atelier/contract';
import { isListed, type Openness } from './availability.ts';
import type { Catalog } from './catalog.ts';

/** Every effect of a listed model, in display order, with thumbnails as links. */
export function listEffects(catalog: Catalog, options: Openness & { readonly publicUrl: string }): EffectsResponse {
  const entries = [...catalog.effects.values()].map(({ entry }) => entry);
  return {
    effects: entries
      .filter(({ modelId }) => {
        const model = catalog.models.get(modelId);
        return model !== undefined && isListed(model, options);
      })
      .map((entry) => ({ ...entry, thumbnail: entry.thumbnail && `${options.publicUrl}/effects/${entry.thumbnail}` })),
  };
}
