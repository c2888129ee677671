import { cancelGeneration as cancel } from '../../../domain/generations/cancel-generation.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const cancelGeneration: OperationHandler<'cancelGeneration'> = (services, { caller, params }) =>
  cancel(services, { accountId: caller.accountId, id: params.id });
