import { listEvents } from '../../domain/events/list-events.ts';
import type { Routes } from '../operation-handler.ts';

export const eventRoutes: Routes<'listEvents'> = {
  listEvents: (services, { caller, query }) => listEvents(services, caller.accountId, query),
};
