import type { OpenaiModel } from '@atelier/contract/openai';
import { OPENAI_USES } from '../../../domain/catalog/catalog.ts';
import { listModels } from '../../../domain/catalog/list-models.ts';
import { fitsUse } from '../../../domain/catalog/openai-alias.ts';
import { Problem } from '../../../platform/problem.ts';
import { describeOpenness } from '../../routes/catalog-answer.ts';
import type { OpenaiContext, OpenaiRoutes } from '../openai-handler.ts';

export const modelRoutes: OpenaiRoutes<'listOpenaiModels' | 'getOpenaiModel'> = {
  listOpenaiModels: async (context) => ({ json: { object: 'list', data: listUsable(context) } }),

  async getOpenaiModel(context, { params }) {
    const found = listUsable(context).find(({ id }) => id === params.id);
    if (found === undefined) throw new Problem('unknown_model', `There is no model ${params.id}.`);
    return { json: found };
  },
};

/** The open models that one of the operations can use, and their aliases. */
function listUsable({ services }: OpenaiContext): OpenaiModel[] {
  const catalog = services.catalog();
  const { models } = listModels(catalog, describeOpenness(services));
  const usable = models.filter((model) => OPENAI_USES.some((use) => fitsUse(model, use)));
  const vendors = new Map(usable.map(({ id, vendor }) => [id, vendor]));
  const names = new Map(usable.map(({ id, vendor }) => [id, vendor]));
  for (const { name, modelId } of catalog.aliases ?? []) {
    const vendor = vendors.get(modelId);
    if (vendor !== undefined && !names.has(name)) names.set(name, vendor);
  }
  return [...names].map(([id, vendor]) => ({ id, object: 'model', created: 0, owned_by: vendor }));
}
