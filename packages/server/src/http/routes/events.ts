import { listEvents as list } from '../../domain/events/list-events.ts';
import type { OperationHandler } from '../operation-handler.ts';

export const listEvents: OperationHandler<'listEvents'> = (services, { caller, query }) =>
  list(services, caller.accountId, query);
