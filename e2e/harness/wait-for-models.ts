import type { Model, ModelsResponse } from '@atelier/contract';
import { call, until } from './client.ts';

const PATIENCE_MS = 15_000;

/** Workers announce their offers, and the API reads them a moment later. Needs LIST_EVERY_MODEL=false. */
export function waitForModels(url: string, ids: readonly string[] = []): Promise<Model[]> {
  return until(
    `the models ${ids.join(', ')} are available`,
    async () => {
      const { models } = (await call<ModelsResponse>(url, 'GET /v1/models')).body;
      const open = new Set(models.map(({ id }) => id));
      return models.length > 0 && ids.every((id) => open.has(id)) && models;
    },
    PATIENCE_MS,
  );
}
