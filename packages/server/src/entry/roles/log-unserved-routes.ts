import type { RouteCheck } from '../../domain/catalog/catalog.ts';
import { findUnservedRoutes } from '../../domain/catalog/find-unserved-routes.ts';
import type { Services } from '../../domain/services.ts';

/** Workers that start at the same time have published their offers by then. */
const FIRST_LOOK_MS = 20_000;
const INTERVAL_MS = 30_000;

/** Logs the routes that no provider can serve, at start and whenever they change. */
export function logUnservedRoutes(
  services: Pick<Services, 'catalog' | 'offers' | 'log'>,
  {
    checkRoute,
    firstLookMs = FIRST_LOOK_MS,
    intervalMs = INTERVAL_MS,
  }: {
    checkRoute: RouteCheck;
    firstLookMs?: number;
    intervalMs?: number;
  },
): { close(): void } {
  let logged = '';
  let timer: NodeJS.Timeout;
  const look = () => {
    const unserved = findUnservedRoutes({ catalog: services.catalog(), offers: services.offers(), checkRoute });
    const now = JSON.stringify(unserved);
    if (now !== logged) {
      for (const { modelId, index, reason } of unserved.filter(({ isCatalogError }) => isCatalogError))
        services.log.warn('route unavailable: invalid settings', {
          modelId,
          reason: `routes.${index}.${reason}`,
        });
      const missing = unserved.filter(({ isCatalogError }) => !isCatalogError);
      if (missing.length > 0)
        services.log.info('routes without a worker', {
          count: missing.length,
          reason: missing.map(({ modelId, target }) => `${modelId}: ${target}`).join(', '),
        });
    }
    logged = now;
    timer = setTimeout(look, intervalMs).unref();
  };
  timer = setTimeout(look, firstLookMs).unref();
  return { close: () => clearTimeout(timer) };
}
