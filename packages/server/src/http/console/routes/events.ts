import { listRecentEvents } from '../../../domain/events/list-recent-events.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const recentEventRoutes: ConsoleRoutes<'listRecentEvents'> = {
  listRecentEvents: (services, { accountId, query }) => listRecentEvents(services, accountId, query),
};
