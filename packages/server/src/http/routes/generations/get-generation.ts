import { isTerminal } from '../../../domain/generations/generation-states.ts';
import { getGeneration as get } from '../../../domain/generations/get-generation.ts';
import type { OperationHandler } from '../../operation-handler.ts';

const POLL_INTERVAL_SECONDS = 2;

export const getGeneration: OperationHandler<'getGeneration'> = async (services, { caller, params, reply }) => {
  const generation = await get(services, { accountId: caller.accountId, id: params.id });
  if (!isTerminal(generation.status)) reply.header('retry-after', String(POLL_INTERVAL_SECONDS));
  return generation;
};
