import type { Db } from '../../../platform/db.ts';
import { createPathServices, sampleCatalog } from './create-path-services.ts';

/** Services whose model `canvas` runs on the local engine `easel`, and `painter` on the backend `studio`, while these are offered. */
export function createServedServices(db: Db, offers: ReadonlySet<string>) {
  return {
    ...createPathServices(db),
    offers: () => offers,
    catalog: () => {
      const catalog = sampleCatalog(7);
      const route = (modelId: string, provider: string, settings: Record<string, string>) =>
        [modelId, { ...catalog.models.get(modelId)!, routes: [{ provider, settings }] }] as const;
      return {
        ...catalog,
        models: new Map([
          ...catalog.models,
          route('canvas', 'local', { engine: 'easel' }),
          route('painter', 'comfyui', { backend: 'studio' }),
        ]),
      };
    },
  };
}
