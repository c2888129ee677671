import { getConcurrency as get } from '../../../domain/accounts/get-concurrency.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const getConcurrency: OperationHandler<'getConcurrency'> = (services, { caller }) =>
  get(services, caller.accountId);
