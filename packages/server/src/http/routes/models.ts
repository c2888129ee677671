import { getModel as findModel, listModels as listOpenModels } from '../../domain/catalog/list-models.ts';
import type { OperationHandler } from '../operation-handler.ts';
import { createCachedAnswer } from './cached-answer.ts';
import { describeOpenness } from './describe-openness.ts';

const answerOnce = createCachedAnswer();

export const listModels: OperationHandler<'listModels'> = async (services, { query, request, reply }) => {
  const catalog = services.catalog();
  const openness = describeOpenness(services);
  return answerOnce({
    key: `list ${query.taskType ?? ''} ${query.modality ?? ''} ${query.workspace ?? ''}`,
    version: `${catalog.version}-${openness.version}`,
    request,
    reply,
    make: () => listOpenModels(catalog, { ...openness, filter: query }),
  });
};

export const getModel: OperationHandler<'getModel'> = async (services, { params, request, reply }) => {
  const catalog = services.catalog();
  const openness = describeOpenness(services);
  return answerOnce({
    key: `one ${params.id}`,
    version: `${catalog.version}-${openness.version}`,
    request,
    reply,
    make: () => findModel(catalog, { ...openness, id: params.id }),
  });
};
