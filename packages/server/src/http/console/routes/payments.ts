import { createCheckout, getCheckout, listCoinPackages } from '../../../domain/payments/checkouts.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const paymentRoutes: ConsoleRoutes<'listCoinPackages' | 'createCheckout' | 'getCheckout'> = {
  listCoinPackages: async (services) => listCoinPackages(services),

  createCheckout: (services, { accountId, actor, signedIn, body: { packageId } }) =>
    createCheckout(services, { accountId, packageId, actor, email: signedIn.email }),

  getCheckout: (services, { params }) => getCheckout(services, params),
};
