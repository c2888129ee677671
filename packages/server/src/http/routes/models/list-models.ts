import { listModels as listOpenModels } from '../../../domain/catalog/list-models.ts';
import { createCachedAnswer } from '../../cached-answer.ts';
import { describeOpenness } from '../../describe-openness.ts';
import type { OperationHandler } from '../../operation-handler.ts';

const answerOnce = createCachedAnswer();

export const listModels: OperationHandler<'listModels'> = async (services, { request, reply }) => {
  const catalog = services.catalog();
  const openness = describeOpenness(services);
  const version = `${catalog.version}-${openness.version}`;
  return answerOnce({ version, request, reply, make: () => listOpenModels(catalog, openness) });
};
