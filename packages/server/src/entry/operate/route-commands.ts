import { readFileSync } from 'node:fs';
import { findUnservedRoutes } from '../../domain/catalog/find-unserved-routes.ts';
import { loadCatalog } from '../../domain/catalog/load-catalog.ts';
import { createOfferBoard } from '../../domain/operator/offer-board.ts';
import { createRouteCheck } from '../../providers/create-route-check.ts';
import { readBackends } from '../../providers/remote/read-backends.ts';
import type { OperatorCommand } from './operator-command.ts';

export const routeCommands: Readonly<Record<string, OperatorCommand>> = {
  unserved: {
    summary: 'lists the routes of the catalog that no provider can serve, with the reason',
    options: {},
    async run({ config, db }) {
      const catalog = await loadCatalog(config.catalogDir);
      const backends =
        config.backendsFile === ''
          ? undefined
          : readBackends(readFileSync(config.backendsFile, 'utf8'), config.backendSecretOf);
      const offers = await createOfferBoard({ db });
      try {
        const checkRoute = createRouteCheck({
          catalogDir: config.catalogDir,
          ...(backends && { backends, backendsAreAll: false }),
        });
        return findUnservedRoutes({ catalog, offers: offers.current(), checkRoute }).map(
          ({ modelId, index, target, reason }) => ({ model: modelId, route: index, target, reason }),
        );
      } finally {
        offers.close();
        await backends?.close();
      }
    },
  },
};
