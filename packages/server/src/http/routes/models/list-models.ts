import { listModels as listOpenModels } from '../../../domain/catalog/list-models.ts';
import { createCachedAnswer } from '../../cached-answer.ts';
import type { OperationHandler } from '../../operation-handler.ts';

const answerOnce = createCachedAnswer();

export const listModels: OperationHandler<'listModels'> = async (services, { request, reply }) => {
  const catalog = services.catalog();
  const { closedModels } = services.switches.current();
  const version = `${catalog.version}-${[...closedModels].sort().join(',')}`;
  return answerOnce({ version, request, reply, make: () => listOpenModels(catalog, { closedModelIds: closedModels }) });
};
