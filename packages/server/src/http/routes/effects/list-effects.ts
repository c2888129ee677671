import { listEffects as listOpenEffects } from '../../../domain/catalog/list-effects.ts';
import { createCachedAnswer } from '../../cached-answer.ts';
import type { OperationHandler } from '../../operation-handler.ts';

const answerOnce = createCachedAnswer();

export const listEffects: OperationHandler<'listEffects'> = async (services, { request, reply }) => {
  const catalog = services.catalog();
  const { closedModels } = services.switches.current();
  const version = `${catalog.version}-${[...closedModels].sort().join(',')}`;
  return answerOnce({
    version,
    request,
    reply,
    make: () => listOpenEffects(catalog, { closedModelIds: closedModels }),
  });
};
