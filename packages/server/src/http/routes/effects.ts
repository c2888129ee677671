import { listEffects as listOpenEffects } from '../../domain/catalog/list-effects.ts';
import type { OperationHandler } from '../operation-handler.ts';
import { createCachedAnswer } from './cached-answer.ts';
import { describeOpenness } from './describe-openness.ts';

const answerOnce = createCachedAnswer();

export const listEffects: OperationHandler<'listEffects'> = async (services, { request, reply }) => {
  const catalog = services.catalog();
  const openness = describeOpenness(services);
  const version = `${catalog.version}-${openness.version}`;
  return answerOnce({
    version,
    request,
    reply,
    make: () => listOpenEffects(catalog, { ...openness, publicUrl: services.publicUrl }),
  });
};
