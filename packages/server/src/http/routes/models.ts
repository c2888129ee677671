import { getModel, listModels } from '../../domain/catalog/list-models.ts';
import type { Routes } from '../operation-handler.ts';
import { createCatalogAnswer } from './catalog-answer.ts';

const answerOnce = createCatalogAnswer();

export const modelRoutes: Routes<'listModels' | 'getModel'> = {
  listModels: async (services, { query, request, reply }) =>
    answerOnce(services, {
      key: `list ${query.taskType ?? ''} ${query.modality ?? ''} ${query.workspace ?? ''}`,
      request,
      reply,
      make: (catalog, openness) => listModels(catalog, { ...openness, filter: query }),
    }),

  getModel: async (services, { params, request, reply }) =>
    answerOnce(services, {
      key: `one ${params.id}`,
      request,
      reply,
      make: (catalog, openness) => getModel(catalog, { ...openness, id: params.id }),
    }),
};
