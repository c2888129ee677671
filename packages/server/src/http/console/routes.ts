import type { ConsoleHandlers } from './console-handler.ts';
import { authorizationRoutes } from './routes/authorizations.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { recentEventRoutes } from './routes/events.ts';
import { keyRoutes } from './routes/keys.ts';
import { memberRoutes } from './routes/members.ts';
import { moneyRoutes } from './routes/money.ts';
import { pairingRoutes } from './routes/pairings.ts';
import { paymentRoutes } from './routes/payments.ts';
import { sessionRoutes } from './routes/session.ts';

/** The handlers of the console's operations. A row of the contract without a handler does not compile. */
export const consoleHandlers: ConsoleHandlers = {
  ...sessionRoutes,
  ...memberRoutes,
  ...keyRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...recentEventRoutes,
  ...moneyRoutes,
  ...budgetRoutes,
  ...pairingRoutes,
  ...paymentRoutes,
  ...authorizationRoutes,
};
