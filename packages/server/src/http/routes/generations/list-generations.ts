import { listGenerations as list } from '../../../domain/generations/list-generations.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const listGenerations: OperationHandler<'listGenerations'> = (services, { caller, query }) =>
  list(services, caller.accountId, query);
