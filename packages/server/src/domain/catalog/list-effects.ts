import type { EffectsResponse } from '@atelier/contract';
import type { Catalog } from './catalog.ts';
import { isOpen } from './is-open.ts';

/** Every effect whose model is open now, in display order. */
export function listEffects(
  catalog: Catalog,
  options: { closedModelIds: ReadonlySet<string>; at?: Date },
): EffectsResponse {
  const entries = [...catalog.effects.values()].map(({ entry }) => entry);
  return {
    effects: entries.filter(({ modelId }) => {
      const model = catalog.models.get(modelId);
      return model !== undefined && isOpen(model, options);
    }),
  };
}
