import type { DeskHandlers } from './desk-handler.ts';
import { accountRoutes } from './routes/accounts.ts';
import { modelRoutes } from './routes/models.ts';
import { requestRoutes } from './routes/requests.ts';
import { systemRoutes } from './routes/system.ts';

/** The handlers of the desk's operations. A row of the contract without a handler does not compile. */
export const deskHandlers: DeskHandlers = { ...accountRoutes, ...modelRoutes, ...requestRoutes, ...systemRoutes };
